package io.numaledger.bridge.run;

import io.numaledger.apiobjects.view.ExplanationJson;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.GpuPreference;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.StaticCluster;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

import java.time.InstantSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class SnapshotOptionsTest {

    private static SnapshotSettings settings(String... flags) {
        return CommandLine.populateCommand(new SnapshotOptions(), flags).settings();
    }

    private static GpuPreference preference(String... flags) {
        return settings(flags).gpuLinks().preference("nvidia.com/gpu");
    }

    private static ClusterState cluster(String objects, String... flags) {
        return StaticCluster.of(ClusterYaml.read(objects), settings(flags), InstantSource.system());
    }

    private static String node(String objects, String... flags) {
        return NodeJson.of(cluster(objects, flags).snapshot("n").orElseThrow()).toString();
    }

    @Test
    void usesAvailableAmountsIfConfigured() {
        String used = ClusterYaml.node("n")
                .replace(
                        "{name: cpu, capacity: \"4\", allocatable: \"4\", available: \"4\"}",
                        "{name: cpu, capacity: \"4\", allocatable: \"4\", available: \"1\"}");

        assertThat(node(used)).contains("{\"zone\":\"node-1\",\"free\":{\"cpu\":\"4\"");
        assertThat(node(used, "--trust-nrt-available"))
                .contains("{\"zone\":\"node-1\",\"free\":{\"cpu\":\"1\"")
                .contains("\"confidence\":\"aggregate\"");
    }

    @Test
    void doesNotAlignIgnoredResources() {
        PodFacts pod = ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi, nvidia.com/gpu: \"2\"");
        String node = ClusterYaml.node("n");

        assertThat(Explanation.ofAll(cluster(node), pod))
                .noneMatch(explanation -> explanation.evaluation().admits());
        assertThat(Explanation.ofAll(cluster(node, "--ignore-resources", "nvidia.com/gpu"), pod))
                .singleElement()
                .satisfies(explanation -> assertThat(
                                ExplanationJson.full(explanation).toString())
                        .contains("\"fits\":true")
                        .contains("\"amount\":{\"cpu\":\"4\"}"));
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
