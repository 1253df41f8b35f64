package io.numaledger.simulator.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.recording.Recording;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class RecordedPodsTest {

    private static final String PODS = """
            {"held":[
              {"name":"x1","containers":{"c":{"cpus":"8-9","memory":[{"type":"memory","size":1024,"numaAffinity":[0]}],\
            "devices":{"example.com/gpu":["a","b"]}}}},
              {"name":"default/first","containers":{"c":{"cpus":"1-2","memory":[],"devices":{}}}},
              {"name":"/*","containers":{"":{"cpus":"","memory":[],"devices":{}}}}],
             "decided":{"op":"admit","pod":{"name":"team/last","qosClass":"Guaranteed",
              "initContainers":[{"name":"s","restartPolicy":"Always","resources":{"cpu":"1"},"limits":{"cpu":"1"}}],
              "containers":[{"name":"c","resources":{"cpu":"2"},"limits":{"cpu":"3"}}]}}}
            """;

    @Test
    void requestWhatTheyHoldInTheOrderOfTheirCpus() throws IOException {
        JsonNode pods = new ObjectMapper()
                .readTree(RecordedPods.manifests(new Recording("", PODS, Optional.empty())))
                .path("items");

        assertThat(pods)
                .extracting(pod -> pod.at("/metadata/name").asText())
                .containsExactly("default-first", "x1", "unknown", "team-last");
        assertThat(pods.at("/1/spec/containers/0/resources/limits").toString())
                .isEqualTo("{\"cpu\":\"2\",\"memory\":\"1024\",\"example.com/gpu\":\"2\"}");
        assertThat(pods.at("/0/spec/containers/0/resources/requests").toString())
                .isEqualTo("{\"cpu\":\"2\",\"memory\":\"32Mi\"}");
        assertThat(pods.at("/3/spec/initContainers/0/restartPolicy").asText()).isEqualTo("Always");
        assertThat(pods.at("/3/spec/containers/0/resources").toString())
                .isEqualTo("{\"requests\":{\"cpu\":\"2\"},\"limits\":{\"cpu\":\"3\"}}");
    }
}
