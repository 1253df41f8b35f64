package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class NodeObjectTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            ours and others' | {"kind":"Node","metadata":{"labels":{"numaledger.io/x":"no"},"annotations":{"a":"b","numaledger.io/x":"y"}},"status":{"annotations":{"numaledger.io/z":"no"}}} | {numaledger.io/x=y}
            none of ours     | {"metadata":{"annotations":{"a":"b"}}}  | {}
            none at all      | {"metadata":{"name":"n"},"spec":{}}     | {}
            null             | {"metadata":{"annotations":null}}       | {}
            """)
    void readsOurAnnotationsOnly(String situation, String node, String own) throws IOException {
        try (JsonParser json = ApiServer.JSON.createParser(node)) {
            json.nextToken();
            assertThat(NodeObject.read(json)).hasToString(own);
        }
    }

    @Test
    void patchesTheKeysThatChangeAndNoOthers() throws IOException {
        assertThat(NodeObject.body(new TreeMap<>(
                        Map.of("numaledger.io/b", Optional.of("{\"v\":1}"), "numaledger.io/a", Optional.empty()))))
                .isEqualTo(
                        "{\"metadata\":{\"annotations\":{\"numaledger.io/a\":null,\"numaledger.io/b\":\"{\\\"v\\\":1}\"}}}");
    }
}
