package io.numaledger.bridge.run;

import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.plugin.EvaluatedZones;
import io.numaledger.bridge.plugin.Zones.ExplainedPod;
import io.numaledger.bridge.snapshot.GpuPreference;
import io.numaledger.bridge.snapshot.SnapshotSettings;
import io.numaledger.bridge.wire.ClusterDump;
import io.numaledger.bridge.wire.PodManifest;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SnapshotOptionsTest {

    private static SnapshotSettings settings(String... flags) {
        return CommandLine.populateCommand(new SnapshotOptions(), flags).settings();
    }

    private static GpuPreference preference(String... flags) {
        return settings(flags).gpuLinks().preference("nvidia.com/gpu");
    }

    private static EvaluatedZones zones(String objects, String... flags) throws IOException {
        return new EvaluatedZones(ClusterDump.parse(objects), settings(flags));
    }

    @Test
    void usesAvailableAmountsIfConfigured() throws IOException {
        String used = ClusterYaml.node("n")
                .replace(
                        "{name: cpu, capacity: \"4\", allocatable: \"4\", available: \"4\"}",
                        "{name: cpu, capacity: \"4\", allocatable: \"4\", available: \"1\"}");

        assertThat(zones(used).nodes().toString()).contains("{\"zone\":\"node-1\",\"free\":{\"cpu\":\"4\"");
        assertThat(zones(used, "--trust-nrt-available").nodes().toString())
                .contains("{\"zone\":\"node-1\",\"free\":{\"cpu\":\"1\"")
                .contains("\"confidence\":\"aggregate\"");
    }

    @Test
    void doesNotAlignIgnoredResources() throws IOException {
        PodManifest manifest =
                PodManifest.read(ClusterYaml.pod("x", "cpu: \"4\", memory: 1Gi, nvidia.com/gpu: \"2\"", "", "", ""));
        ExplainedPod pod = new ExplainedPod("default/x", Optional.of(manifest));
        String node = ClusterYaml.node("n");

        assertThat(zones(node).explain(pod, List.of()).toString()).contains("\"fits\":false");
        assertThat(zones(node, "--ignore-resources", "nvidia.com/gpu")
                        .explain(pod, List.of())
                        .toString())
                .contains("\"fits\":true")
                .contains("\"amount\":{\"cpu\":\"4\"}");
    }

    @Test
    void aResourceHasNoPreferenceUnlessGiven() {
        assertThat(preference()).isEqualTo(GpuPreference.random);
        assertThat(preference("--gpu-preference=example.com/gpu=gpuallocator")).isEqualTo(GpuPreference.random);
        assertThat(preference("--gpu-preference=nvidia.com/gpu=gpuallocator")).isEqualTo(GpuPreference.gpuallocator);
    }

    @Test
    void rejectsAnUnknownPreference() {
        assertThatThrownBy(() -> preference("--gpu-preference=nvidia.com/gpu=links"))
                .hasMessageContaining("expected one of [random, gpuallocator]");
    }
}
