package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import io.numaledger.annotation.PodView;
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
        assertThat(Pods.waitsForItsKubelet(read(pod))).isEqualTo(waits);
    }

    /** The kubelet takes back the memory of init containers when the first of the others starts. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            one                    | [{"name":"i","state":{}}] | true
            none                   | []                        | false
            none, and told so      | null                      | false
            """)
    void looksAtTheKubeletAgainAfterInitContainers(String situation, String statuses, boolean looks)
            throws IOException {
        String pod =
                "{\"metadata\":{\"name\":\"a\"},\"status\":{\"initContainerStatuses\":%s,\"startTime\":\"2026-01-01T00:00:00Z\",\"phase\":\"%s\"}}";
        PodView before = read(pod.formatted(statuses, "Pending"));
        PodView after = read(pod.formatted(statuses, "Running"));
        assertThat(Pods.othersChanged(before, after)).isEqualTo(looks);
    }

    private static PodView read(String pod) throws IOException {
        try (JsonParser json = ApiServer.JSON.createParser(pod)) {
            json.nextToken();
            return PodReader.read(json).value();
        }
    }
}
