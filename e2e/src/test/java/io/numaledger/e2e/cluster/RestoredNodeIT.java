package io.numaledger.e2e.cluster;

import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.KubeletState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.record.RecordedPods;
import io.numaledger.simulator.replay.ReplayCommand;
import io.numaledger.simulator.restore.RestoredNode;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Pods are recorded in places that a kubelet would not choose today: those before them have ended. Real kubelets of each release that is
 * here start over that. They decide on the next pod as the model does, and refuse one that fits on no zone beside them.
 */
class RestoredNodeIT {

    private static final String NODE = """
            nodes:
            - name: recorded
              kubeletVersion: "%s"
              kubelet: {topologyManagerPolicy: restricted, reservedSystemCPUs: "0", reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}]}
              numaNodes:
              - {id: 0, cores: 6, memory: 8Gi, hugepages: {2Mi: 512}}
              - {id: 1, cores: 6, memory: 8Gi}
              devices:
              - {resource: example.com/gpu, ids: [g0, g1], numaNodes: [0]}
              - {resource: example.com/gpu, ids: [g2, g3], numaNodes: [1]}
              - {resource: example.com/link, ids: [l0, l1], numaNodes: [0, 1]}
              - {resource: example.com/key, ids: [k0, k1, k2], numaNodes: []}
            """;

    private static final String PODS = """
            {"held": [
              {"name": "default/a", "containers": {
                "c": {"cpus": "3,5", "devices": {"example.com/gpu": ["g1"], "example.com/key": ["k2"]},
                  "memory": [{"type": "memory", "size": 1073741824, "numaAffinity": [0]}, {"type": "hugepages-2Mi", "size": 4194304, "numaAffinity": [0]}]},
                "d": {"cpus": "", "devices": {}, "memory": [{"type": "memory", "size": 1048576, "numaAffinity": [0]}]},
                "an-init": {"cpus": "5", "devices": {"example.com/gpu": ["g1"]}, "memory": []}}},
              {"name": "team/b", "containers": {
                "c": {"cpus": "8,10", "memory": [{"type": "memory", "size": 2147483648, "numaAffinity": [1]}], "devices": {"example.com/link": ["l1"]}}}},
              {"name": "/*", "containers": {"": {"cpus": "", "memory": [], "devices": {"example.com/gpu": ["g3"]}}}}],
             "decided": {"op": "admit", "pod": {"name": "default/p", "qosClass": "Guaranteed", "containers": [{"name": "c",
                "resources": {"cpu": "2", "memory": "1Gi", "example.com/gpu": "1"}, "limits": {"cpu": "2", "memory": "1Gi", "example.com/gpu": "1"}}]},
              "result": {"admitted": true, "containers": {"c": {"cpus": "1-2", "devices": {"example.com/gpu": {"0": 1}}}}}}}
            """;

    @TempDir
    private Path directory;

    static List<String> kubelets() {
        return List.of(RealKubernetes.binaries().version(), RealKubernetes.otherKubelet());
    }

    @ParameterizedTest
    @MethodSource("kubelets")
    void aKubeletStartsOverWhatWasRecorded(String version) throws IOException {
        Recording recording = new Recording(NODE.formatted(version), PODS, Optional.empty());
        Path file = directory.resolve("node.zip");
        recording.write(file);
        assertThat(new CommandLine(new ReplayCommand()).execute(file.toString()))
                .isZero();

        try (SimCluster cluster = new RestoredNode(recording)
                .in(SimCluster.builder(RealKubernetes.binaries()), step -> {})
                .start()) {
            SimNode node = cluster.node("recorded");
            ClusterPods pods = new ClusterPods(cluster);
            cluster.client()
                    .load(new ByteArrayInputStream(
                            RecordedPods.decided(recording).orElseThrow().getBytes(StandardCharsets.UTF_8)))
                    .create();
            pods.awaitPhase("default-p", "Running");
            pods.create(SimplePod.named("large").on("recorded").with("c", "cpu=5", "memory=1Gi"));
            pods.awaitPhase("large", "Failed");

            KubeletState state = KubeletState.read(node.kubeletRoot());
            assertThat(text(state, pods, "default-a")).isEqualTo("c 3,5 [g1, k2] d  []");
            assertThat(text(state, pods, "team-b")).isEqualTo("c 8,10 [l1]");
            assertThat(text(state, pods, "unknown")).isEqualTo("unknown  [g3]");
            assertThat(text(state, pods, "default-p")).isEqualTo("c 1-2 [g0]");
            assertThat(pods.entry("large").verdict().reason()).isEqualTo("TopologyAffinityError");
            assertThat(pods.all())
                    .filteredOn(pod -> pod.getStatus().getPhase().equals("Running"))
                    .hasSize(4);
            assertThat(Files.readString(node.kubeletLog())).doesNotContain("failing to read checkpoint");
        }
    }

    private static String text(KubeletState state, ClusterPods pods, String pod) {
        StringBuilder text = new StringBuilder();
        state.ofPod(pods.get(pod).getMetadata().getUid())
                .forEach((name, held) -> text.append(name)
                        .append(' ')
                        .append(held.cpus())
                        .append(' ')
                        .append(held.devices().stream()
                                .map(device -> device.deviceId())
                                .sorted()
                                .toList())
                        .append(' '));
        return text.toString().strip();
    }
}
