package io.numaledger.simulator.record;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class RecordedPodsTest {

    private static final String DECIDED = """
            {"held":[],
             "decided":{"op":"admit","pod":{"name":"team/last","qosClass":"Guaranteed",
              "initContainers":[{"name":"s","restartPolicy":"Always","resources":{"cpu":"1"},"limits":{"cpu":"1"}}],
              "containers":[{"name":"c","resources":{"cpu":"2"},"limits":{"cpu":"3"}}]}}}
            """;

    private static final MemoryBlock MEMORY = new MemoryBlock("memory", 1024, List.of(0));

    private static PodAllocation pod(String name, ContainerAllocation... containers) {
        return new PodAllocation("recorded", name, List.of(containers));
    }

    @Test
    void requestWhatTheyHold() throws IOException {
        JsonNode pods = new ObjectMapper()
                .readTree(RecordedPods.holding(List.of(
                        pod(
                                "x1",
                                new ContainerAllocation(
                                        "c",
                                        CpuSet.parse("8-9"),
                                        List.of(MEMORY),
                                        List.of(
                                                new DeviceAllocation("example.com/gpu", "a", List.of(0)),
                                                new DeviceAllocation("example.com/gpu", "b", List.of(0))))),
                        pod(
                                "default/first",
                                new ContainerAllocation("c", CpuSet.parse("1-2"), List.of(), List.of()),
                                new ContainerAllocation("d", CpuSet.EMPTY, List.of(MEMORY), List.of())),
                        pod("/*", new ContainerAllocation("", CpuSet.EMPTY, List.of(), List.of())))))
                .path("items");

        assertThat(pods)
                .extracting(pod -> pod.at("/metadata/name").asText())
                .containsExactly("x1", "default-first", "unknown");
        assertThat(pods.at("/0/spec/containers/0/resources/limits").toString())
                .isEqualTo("{\"cpu\":\"2\",\"memory\":\"1024\",\"example.com/gpu\":\"2\"}");
        assertThat(pods.at("/1/spec/containers/1/resources/limits").toString())
                .isEqualTo("{\"cpu\":\"1m\",\"memory\":\"1024\"}");
        assertThat(pods.at("/2/spec/containers/0/resources/limits")).isEmpty();
        assertThat(pods.at("/1/spec/containers/0/resources/requests").toString())
                .isEqualTo("{\"cpu\":\"2\",\"memory\":\"32Mi\"}");
    }

    @Test
    void theLastOneRequestsWhatItDid() throws IOException {
        JsonNode pod = new ObjectMapper()
                .readTree(RecordedPods.decided(new Recording("", DECIDED, Optional.empty()))
                        .orElseThrow());

        assertThat(pod.at("/metadata/name").asText()).isEqualTo("team-last");
        assertThat(pod.at("/spec/initContainers/0/restartPolicy").asText()).isEqualTo("Always");
        assertThat(pod.at("/spec/containers/0/resources").toString())
                .isEqualTo("{\"requests\":{\"cpu\":\"2\"},\"limits\":{\"cpu\":\"3\"}}");
        assertThat(RecordedPods.decided(new Recording("", "{\"held\":[]}", Optional.empty())))
                .isEmpty();
    }
}
