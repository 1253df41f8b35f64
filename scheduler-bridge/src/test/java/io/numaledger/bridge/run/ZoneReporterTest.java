package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.server.Requests;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.pool.NodePools;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ZoneReporterTest {

    private static final String LIMITS = "cpu: \"2\", memory: 1Gi";

    private final BridgeMetrics metrics = new BridgeMetrics();
    private final TestCluster cluster = new TestCluster();
    private final ZoneReporter reporter = new ZoneReporter(new NodePools("pool"), metrics.zones());

    private static String node(String name, String pool) {
        return ClusterYaml.node(name)
                .replace("kind: Node\nmetadata: {", "kind: Node\nmetadata: {labels: {pool: %s}, ".formatted(pool));
    }

    private List<String> reported() {
        reporter.report(cluster.state);
        String text = new String(metrics.scrape(Requests.of("GET", "", "")).body(), StandardCharsets.UTF_8);
        return text.lines()
                .filter(line -> line.startsWith("numaledger_bridge_zone_"))
                .map(line -> line.substring("numaledger_bridge_zone_".length()))
                .toList();
    }

    @Test
    void addsUpTheZonesOfEachPool() {
        cluster.apply(
                node("a", "x"),
                node("b", "x"),
                node("c", "y"),
                ClusterYaml.running("p", "a", LIMITS, "1-2"),
                ClusterYaml.running("q", "c", LIMITS, "5-6"));

        assertThat(reported())
                .containsExactlyInAnyOrder(
                        "allocatable{pool=\"x\",resource=\"cpu\"} 16.0",
                        "allocatable{pool=\"x\",resource=\"nvidia.com/gpu\"} 4.0",
                        "allocatable{pool=\"y\",resource=\"cpu\"} 8.0",
                        "allocatable{pool=\"y\",resource=\"nvidia.com/gpu\"} 2.0",
                        "available{pool=\"x\",resource=\"cpu\"} 14.0",
                        "available{pool=\"x\",resource=\"nvidia.com/gpu\"} 4.0",
                        "available{pool=\"y\",resource=\"cpu\"} 6.0",
                        "available{pool=\"y\",resource=\"nvidia.com/gpu\"} 2.0",
                        "largest_cpu_request{pool=\"x\"} 4.0",
                        "largest_cpu_request{pool=\"y\"} 4.0");
    }

    @Test
    void followsPodsAndNodes() {
        cluster.apply(node("a", "x"), node("b", "y"));
        assertThat(reported()).contains("available{pool=\"x\",resource=\"cpu\"} 8.0");

        cluster.apply(
                ClusterYaml.running("p", "a", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("q", "a", "cpu: \"1\", memory: 1Gi", "5"));
        cluster.state.nodeDeleted("b");
        cluster.state.topologyDeleted("b");
        assertThat(reported())
                .containsExactlyInAnyOrder(
                        "allocatable{pool=\"x\",resource=\"cpu\"} 8.0",
                        "allocatable{pool=\"x\",resource=\"nvidia.com/gpu\"} 2.0",
                        "available{pool=\"x\",resource=\"cpu\"} 3.0",
                        "available{pool=\"x\",resource=\"nvidia.com/gpu\"} 2.0",
                        "largest_cpu_request{pool=\"x\"} 3.0");

        cluster.deletePod("p");
        assertThat(reported())
                .contains("available{pool=\"x\",resource=\"cpu\"} 7.0", "largest_cpu_request{pool=\"x\"} 4.0");
    }

    @Test
    void leavesOutNodesThatTakeNoPodsOrAreNotKnown() {
        cluster.apply(
                node("cordoned", "x")
                        .replace("status:\n  nodeInfo", "spec: {unschedulable: true}\nstatus:\n  nodeInfo"),
                node("without-zones", "x").split("---\napiVersion: topology")[0]);

        assertThat(reported()).isEmpty();
    }

    @Test
    void readsNothingWhileNothingChanges() {
        cluster.apply(node("a", "x"));
        assertThat(reported()).isNotEmpty();
        long builds = cluster.state.snapshotBuilds();
        metrics.zones().report(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());

        assertThat(reported()).isEmpty();
        assertThat(cluster.state.snapshotBuilds()).isEqualTo(builds);
    }

    @Test
    void isServedByARunningBridge(@TempDir Path directory) throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
                Bridge bridge = new Bridge(BridgeOptions.plainHttp(0, "--node-pool-label=pool"), client)) {
            for (String object : node("a", "x").split("---\n")) {
                if (!object.isBlank()) {
                    client.resource(object).create();
                }
            }
            bridge.start();
            URI url = URI.create("http://127.0.0.1:" + bridge.address().getPort() + "/metrics");

            await().atMost(Duration.ofMinutes(3))
                    .untilAsserted(() -> assertThat(HttpClient.newHttpClient()
                                    .send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofLines())
                                    .body())
                            .contains(
                                    "numaledger_bridge_zone_available{pool=\"x\",resource=\"cpu\"} 8.0",
                                    "numaledger_bridge_zone_largest_cpu_request{pool=\"x\"} 4.0"));
        }
    }
}
