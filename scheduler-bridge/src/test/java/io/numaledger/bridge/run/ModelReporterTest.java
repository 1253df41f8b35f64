package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.server.Requests;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.Unmodelled;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class ModelReporterTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:01:30Z");

    private final BridgeMetrics metrics = new BridgeMetrics();
    private final ModelReporter reporter = new ModelReporter(metrics.registry(), () -> NOW);

    private List<String> served() {
        return served("numaledger_bridge_unmodelled_node{");
    }

    private List<String> served(String metric) {
        String text = new String(metrics.scrape(Requests.of("GET", "", "")).body(), StandardCharsets.UTF_8);
        return text.lines().filter(line -> line.startsWith(metric)).toList();
    }

    @Test
    void countsEachNodeWhileItHasNoModel() {
        TreeMap<String, NodeModel> models = new TreeMap<>();
        models.put("a", NodeModel.unknown(Unmodelled.Kind.NO_ZONES, "no zones are published"));
        models.put("b", NodeModel.unknown(Unmodelled.Kind.UNREADABLE, "cannot be read"));
        reporter.report(models);
        assertThat(served())
                .containsExactlyInAnyOrder(
                        "numaledger_bridge_unmodelled_node{node=\"a\",reason=\"no-zones\"} 1.0",
                        "numaledger_bridge_unmodelled_node{node=\"b\",reason=\"unreadable\"} 1.0");

        models.remove("a");
        reporter.report(models);
        assertThat(served()).containsExactly("numaledger_bridge_unmodelled_node{node=\"b\",reason=\"unreadable\"} 1.0");
    }

    @Test
    void namesDevicesThatNoZoneLists() {
        TestCluster cluster = new TestCluster();
        cluster.apply(ClusterYaml.node("a")
                .replace(
                        "capacity: {nvidia.com/gpu: \"2\"}",
                        "capacity: {nvidia.com/gpu: \"2\", example.com/nic: \"1\"}")
                .replace(
                        "allocatable: {nvidia.com/gpu: \"2\"}",
                        "allocatable: {nvidia.com/gpu: \"2\", example.com/nic: \"1\"}"));
        cluster.apply(ClusterYaml.node("b"));

        reporter.report(cluster.state.models());

        assertThat(served("numaledger_bridge_devices_without_zone{"))
                .containsExactly(
                        "numaledger_bridge_devices_without_zone{node=\"a\",resources=\"example.com/nic\"} 1.0");
    }

    @Test
    void namesNodesWhoseKubeletIsSlow() {
        TestCluster cluster = new TestCluster();
        cluster.apply(ClusterYaml.node("quick"));
        cluster.apply(ClusterYaml.nodeOf34Zones("slow")
                .replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static"));
        cluster.apply(ClusterYaml.nodeOf34Zones("no-memory-manager"));

        reporter.reportSlowKubelets(cluster.state.models());

        assertThat(served("numaledger_bridge_slow_admission{"))
                .containsExactly("numaledger_bridge_slow_admission{node=\"slow\"} 1.0");
    }

    @Test
    void countsAlignedPodsThatRunWithoutARecord() {
        TestCluster cluster = new TestCluster();
        String limits = "cpu: \"1\", memory: 1Gi";
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.running("recorded", "a", limits, "1"),
                started("late", limits, "2026-01-01T00:00:00Z"),
                started("young", limits, "2026-01-01T00:01:00Z"));

        reporter.reportPods(cluster.state);

        assertThat(served("numaledger_bridge_pods_without_record{"))
                .containsExactly("numaledger_bridge_pods_without_record{node=\"a\"} 1.0");
        cluster.deletePod("late");
        reporter.reportPods(cluster.state);
        assertThat(served("numaledger_bridge_pods_without_record{")).isEmpty();
    }

    private static String started(String name, String limits, String time) {
        return ClusterYaml.pod(
                name, limits, "", "  nodeName: a", ", phase: Running, startTime: \"%s\"".formatted(time));
    }
}
