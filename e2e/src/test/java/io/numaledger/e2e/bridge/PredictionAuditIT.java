package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubectl.PluginMain;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.record.RecordedPods;
import io.numaledger.simulator.replay.ReplayCommand;
import io.numaledger.simulator.restore.RestoredNode;
import io.numaledger.simulator.workload.SimplePod;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A record of a pod is wrong while the next pod is bound: the bridge predicts CPUs that the kubelet has given away. */
class PredictionAuditIT {

    private static final String NODE = """
            nodes:
            - name: n
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
            """;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    private int audit(BridgedCluster cluster, String... arguments) {
        CommandLine line = PluginMain.commandLine(Map.of(
                        "KUBECTL_PATH",
                        RealKubernetes.binaries().directory().resolve("kubectl").toString()))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(out, true));
        out.getBuffer().setLength(0);
        String[] all = new String[arguments.length + 2];
        all[0] = "audit";
        all[1] = "--kubeconfig=" + cluster.cluster().kubeconfig();
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return line.execute(all);
    }

    private static String annotation(ClusterPods pods, String pod) {
        return pods.get(pod).getMetadata().getAnnotations().getOrDefault(Annotations.PLACEMENT, "");
    }

    private static void create(ClusterPods pods, String name, SimplePod pod) {
        pods.create(pod.with("c", "cpu=2", "memory=1Gi"));
        pods.awaitPhase(name, "Running");
    }

    private static void write(BridgedCluster cluster, String pod, String record) {
        cluster.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .withName(pod)
                .edit((Pod old) -> old.edit()
                        .editMetadata()
                        .addToAnnotations(Annotations.PLACEMENT, record)
                        .endMetadata()
                        .build());
        CpuSet cpus = AllocationText.read("default", pod, record).allCpus();
        await("the bridge reads the record")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> cluster.bridge()
                        .cluster()
                        .pods()
                        .get("default/" + pod)
                        .flatMap((PodFacts known) -> known.records().placement())
                        .flatMap(known -> known.believed())
                        .filter(known -> known.allCpus().equals(cpus))
                        .isPresent());
    }

    @Test
    void aMissIsShownSavedJudgedAndSimulated() {
        Path file = directory.resolve("miss.zip");
        try (BridgedCluster cluster = BridgedCluster.startWithApi(
                SimCluster.builder(RealKubernetes.binaries()).nodes(NodeSpecYaml.parse(NODE)), step -> {})) {
            ClusterPods pods = new ClusterPods(cluster.cluster());
            SimNode node = cluster.cluster().node("n");
            create(pods, "first", SimplePod.named("first"));
            await().atMost(BridgedNodes.TIMEOUT)
                    .until(() -> annotation(pods, "first").contains("\"1-2\""));
            String right = annotation(pods, "first");
            cluster.agents().stop(node);
            write(cluster, "first", right.replace("\"1-2\"", "\"5-6\""));
            create(pods, "second", SimplePod.named("second"));
            write(cluster, "first", right);
            cluster.agents().start(node);

            await("the miss is shown").atMost(BridgedNodes.TIMEOUT).untilAsserted(() -> {
                assertThat(audit(cluster, "--misses", "-o", "wide")).isZero();
                assertThat(out.toString()).containsPattern("default/second +n +cpus .* c=1-2 +c=3-4 ");
            });
            assertThat(audit(cluster)).isZero();
            assertThat(out.toString()).containsPattern("default/first +n +same +exact");
            assertThat(audit(cluster, "second", "--save", file.toString()))
                    .as(out.toString())
                    .isZero();
            assertThat(audit(cluster, "first", "--save", file.toString())).isEqualTo(2);
            assertThat(out.toString()).contains("no prediction about this pod has missed: pod=first");
        }
        out.getBuffer().setLength(0);
        assertThat(new CommandLine(new ReplayCommand())
                        .setOut(new PrintWriter(out, true))
                        .execute(file.toString()))
                .isEqualTo(1);
        assertThat(out.toString())
                .contains(
                        "predictions=1 erred=agent",
                        "pod=default/first source=observed before: c cpus=5-6 devices={} later: c cpus=1-2 devices={}");
        assertARealKubeletDecidesAsPredicted(file);
    }

    /** With what the bridge believed, and so as it predicted: the node held something else. */
    private static void assertARealKubeletDecidesAsPredicted(Path file) {
        Recording recording = Recording.read(file);
        try (SimCluster again = new RestoredNode(recording)
                .in(SimCluster.builder(RealKubernetes.binaries()), step -> {})
                .start()) {
            ClusterPods pods = new ClusterPods(again);
            again.client()
                    .load(new ByteArrayInputStream(
                            RecordedPods.decided(recording).orElseThrow().getBytes(StandardCharsets.UTF_8)))
                    .create();
            pods.awaitPhase("default-second", "Running");
            assertThat(pods.entry("default-first").held().get("c").cpus()).hasToString("5-6");
            assertThat(pods.entry("default-second").held().get("c").cpus()).hasToString("1-2");
        }
    }
}
