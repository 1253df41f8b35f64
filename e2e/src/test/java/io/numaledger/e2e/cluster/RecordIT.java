package io.numaledger.e2e.cluster;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.record.RecordCommand;
import io.numaledger.simulator.replay.ReplayCommand;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** A real kubelet is recorded after each of two decisions; the model decides the same, and a kubelet on the recorded machine, too. */
class RecordIT {

    @TempDir
    private Path directory;

    private Path record(SimNode node, ClusterPods pods, String pod) throws IOException {
        Path manifest = Files.writeString(directory.resolve(pod + ".yaml"), Serialization.asYaml(pods.get(pod)));
        Path output = directory.resolve(pod + ".zip");
        assertThat(new CommandLine(new RecordCommand())
                        .execute(
                                "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                                "--kubelet-config=" + node.kubeletConfig(),
                                "--kubelet-state-dir=" + node.kubeletRoot(),
                                "--podresources-socket=" + node.podResourcesSocket(),
                                "--kubelet-version="
                                        + node.spec().kubeletVersion().orElseThrow(),
                                "--pod=" + manifest,
                                "--output=" + output))
                .isZero();
        return output;
    }

    @Test
    void theModelDecidesAsTheRecordedKubelet() throws IOException {
        Path refused;
        try (SimCluster cluster = RealKubernetes.cluster("""
                nodes:
                - name: host
                  kubelet: {cpuManagerPolicyOptions: {full-pcpus-only: "true"}}
                  numaNodes:
                  - {id: 0, coreCpus: ["0-1", "2-3", "4-5", "6-7"], l3Caches: ["0-3", "4-7"], memory: 8Gi}
                  - {id: 1, coreCpus: ["8-9", "10-11", "12-13", "14-15"], memory: 8Gi}
                  devices:
                  - {resource: example.com/gpu, count: 2, numaNodes: [0]}
                  - {resource: example.com/gpu, count: 2, numaNodes: [1]}
                """)) {
            ClusterPods pods = new ClusterPods(cluster);
            pods.create(SimplePod.named("first").on("host").with("main", "cpu=6", "memory=1Gi", "example.com/gpu=2"));
            pods.awaitPhase("first", "Running");
            pods.create(SimplePod.named("second").on("host").with("main", "cpu=4", "memory=2Gi", "example.com/gpu=1"));
            pods.awaitPhase("second", "Running");
            Path admitted = record(cluster.node("host"), pods, "second");
            pods.create(SimplePod.named("third").on("host").with("main", "cpu=4", "memory=1Gi", "example.com/gpu=2"));
            pods.awaitPhase("third", "Failed");
            refused = record(cluster.node("host"), pods, "third");

            assertThat(new CommandLine(new ReplayCommand()).execute(admitted.toString(), refused.toString()))
                    .isZero();
        }

        try (SimCluster again = SimCluster.builder(RealKubernetes.binaries())
                .nodes(NodeSpecYaml.parse(Recording.read(refused).nodes()))
                .start()) {
            ClusterPods pods = new ClusterPods(again);
            pods.create(
                    SimplePod.named("first").on("recorded").with("main", "cpu=6", "memory=1Gi", "example.com/gpu=2"));
            pods.awaitPhase("first", "Running");
            pods.create(
                    SimplePod.named("large").on("recorded").with("main", "cpu=8", "memory=1Gi", "example.com/gpu=1"));
            pods.awaitPhase("large", "Running");
            assertThat(pods.entry("large").held().get("main").cpus()).hasToString("8-15");
        }
        assertThat(Recording.read(refused).pods()).doesNotContain("first", "second", "third");
    }
}
