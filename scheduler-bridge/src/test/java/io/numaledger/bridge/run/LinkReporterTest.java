package io.numaledger.bridge.run;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.server.Requests;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class LinkReporterTest {

    private static final String RECORD = ", numaledger.io/placement: '{\"version\":1,\"containers\":[{\"name\":\"c\","
            + "\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"0\",\"ids\":[\"GPU-0\",\"GPU-2\"]}]}]}'";

    @TempDir
    private Path directory;

    private final TestCluster cluster = new TestCluster();
    private final BridgeMetrics metrics = new BridgeMetrics();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private LinkReporter reporter;

    /** Three GPUs, of which the first two have links. */
    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        reporter = new LinkReporter(
                cluster.state,
                metrics.placements(),
                new PodEvents(client, Runnable::run, () -> {}, InstantSource.system()));
        cluster.apply(ClusterYaml.node("n")
                .replace("gpu: \"2\"", "gpu: \"3\"")
                .replaceFirst(
                        "nvidia.com/gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"",
                        "nvidia.com/gpu, capacity: \"3\", allocatable: \"3\", available: \"3\"")
                .replace("  - {name: nvidia.com/gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"}\n", "")
                .replace(
                        "metadata: {name: n}\nstatus:",
                        "metadata: {name: n, annotations: {numaledger.io/gpu-topology: '{\"v\":1,\"kind\":\"direct\",\"gpus\":["
                                + "{\"uuid\":\"GPU-0\",\"numa\":0},{\"uuid\":\"GPU-1\",\"numa\":0},{\"uuid\":\"GPU-2\",\"numa\":0}],"
                                + "\"links\":[2,0,0],\"pcie\":\"???\"}'}}\nstatus:"));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private void see(String annotations) {
        cluster.apply(ClusterYaml.pod(
                "x",
                "nvidia.com/gpu: \"2\"",
                ", annotations: {" + annotations + "}",
                "  nodeName: n",
                ", phase: Running"));
        reporter.podChanged(cluster.state.pods().get("default/x").orElseThrow());
    }

    private List<String> events() {
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .map(Event::getMessage)
                .toList();
    }

    private String metrics() {
        return new String(metrics.scrape(Requests.of("GET", "", "")).body(), StandardCharsets.UTF_8);
    }

    @Test
    void reportsAPodOnceWhenItsGpusAreObserved() {
        see("numaledger.io/gpu-links: preferred");
        see("numaledger.io/gpu-links: preferred" + RECORD);
        see("numaledger.io/gpu-links: preferred" + RECORD);

        assertThat(events())
                .containsExactly("the pod's GPUs have 0 links; 2 were possible with others of the same NUMA nodes");
        assertThat(metrics()).contains("numaledger_bridge_gpu_links_total{observed=\"worse\"} 1.0");
    }

    @Test
    void reportsLinksThatThePodDemandsAndLacks() {
        see("numaledger.io/gpu-links: required");
        see("numaledger.io/gpu-links: required" + RECORD);

        assertThat(events()).containsExactly("the pod's GPUs lack the links that it demands; they have 0 in all");
        assertThat(metrics()).contains("numaledger_bridge_gpu_links_total{observed=\"missing\"} 1.0");
    }

    /** Other pods have come and gone since it got its GPUs. */
    @Test
    void leavesOutAPodThatWasObservedBefore() {
        see("numaledger.io/gpu-links: required" + RECORD);

        assertThat(events()).isEmpty();
    }
}
