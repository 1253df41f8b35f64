package io.numaledger.simulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class KubeletConfigFileTest {

    private static JsonNode config(String kubelet, String version) throws IOException {
        return config(kubelet, version, Optional.empty());
    }

    private static JsonNode config(String kubelet, String version, Optional<String> cgroupRoot) throws IOException {
        String yaml = """
                nodes:
                - name: a
                  kubeletVersion: "%s"
                  kubelet: %s
                  numaNodes: [{id: 0, cores: 2, memory: 4Gi}, {id: 1, cores: 2, memory: 4Gi}]
                """.formatted(version, kubelet);
        String text = KubeletConfigFile.text(
                NodeSpecYaml.parse(yaml).get(0),
                new NodeDirectory(Path.of("/sim/a")),
                "192.0.2.1",
                10250,
                Optional.empty(),
                cgroupRoot);
        return new YAMLMapper().readTree(text);
    }

    /** Else the Memory Manager would not start. */
    @Test
    void reservesForTheSystemWhatTheNumaNodesReserveTogether() throws IOException {
        JsonNode config = config(
                "{reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}, {numaNode: 1, limits: {memory: 512Mi, hugepages-2Mi: 4Mi}}]}",
                "1.36");

        assertThat(config.at("/systemReserved/memory").asLong()).isEqualTo(1536L << 20);
        assertThat(config.at("/systemReserved/hugepages-2Mi").asLong()).isEqualTo(4L << 20);
        assertThat(config.at("/reservedMemory/1/limits/memory").asLong()).isEqualTo(512L << 20);
        assertThat(config.at("/evictionHard/memory.available").asText()).isEqualTo("0%");
    }

    @Test
    void reservesNoNumaMemoryWithoutMemoryManager() throws IOException {
        assertThat(config("{memoryManagerPolicy: None}", "1.36").has("reservedMemory"))
                .isFalse();
    }

    @Test
    void switchesResizeOffWhereItWouldEndTheKubelet() throws IOException {
        assertThat(config("{}", "1.33")
                        .at("/featureGates/InPlacePodVerticalScaling")
                        .asText())
                .isEqualTo("false");
        assertThat(config("{}", "1.36").has("featureGates")).isFalse();
    }

    @Test
    void givesTheKubeletItsCgroupsWithWhichItCanResizePods() throws IOException {
        JsonNode config = config("{}", "1.33", Optional.of("/numaledger-1/a"));

        assertThat(config.path("cgroupsPerQOS").asBoolean()).isTrue();
        assertThat(config.path("cgroupRoot").asText()).isEqualTo("/numaledger-1/a");
        assertThat(config.has("featureGates")).isFalse();
    }
}
