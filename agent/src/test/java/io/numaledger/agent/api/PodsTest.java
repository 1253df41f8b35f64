package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;

import static org.assertj.core.api.Assertions.assertThat;

class PodsTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            bound just now   | {"metadata":{"name":"a"},"status":{"phase":"Pending"}}                                       | true
            no status        | {"metadata":{"name":"a"}}                                                                    | true
            admitted         | {"metadata":{"name":"a"},"status":{"phase":"Pending","startTime":"2026-01-01T00:00:00Z"}}   | false
            running          | {"metadata":{"name":"a"},"status":{"phase":"Running"}}                                       | false
            refused          | {"metadata":{"name":"a"},"status":{"phase":"Failed","reason":"TopologyAffinityError"}}       | false
            a forged record  | {"metadata":{"name":"a","annotations":{"kai.scheduler/numa-placement-observed":"[]"}}}       | false
            """)
    void looksAtTheKubeletForAPodThatItHasMet(String situation, String pod, boolean waits) throws IOException {
        try (JsonParser json = ApiServer.JSON.createParser(pod)) {
            json.nextToken();
            assertThat(Pods.waitsForItsKubelet(PodReader.read(json).value())).isEqualTo(waits);
        }
    }
}
