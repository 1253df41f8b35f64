package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** A simulated node as the cluster sees it. */
class SimulatedNodeTest {

    private static final List<NodeSpec> SPECS = NodeSpecYaml.parse("""
            nodes:
            - name: small
              kubelet: {topologyManagerPolicy: single-numa-node, cpuManagerPolicy: static, reservedSystemCPUs: "0"}
              numaNodes:
              - {id: 0, socket: 0, cores: 4, memory: 4Gi}
              - {id: 1, socket: 1, cores: 4, memory: 4Gi}
            """);

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private SimulatedNode join() throws IOException {
        return join(ReportLag.none());
    }

    private SimulatedNode join(ReportLag lag) throws IOException {
        return new SimulatedNode(client, SPECS.get(0), directory.resolve("kubelet.sock"), lag);
    }

    private void create(String name, String cpus) {
        client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName("small")
                        .addNewContainer()
                        .withName("c")
                        .withImage("x")
                        .withNewResources()
                        .withLimits(Map.of("cpu", new Quantity(cpus), "memory", new Quantity("1Gi")))
                        .withRequests(Map.of("cpu", new Quantity(cpus), "memory", new Quantity("1Gi")))
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    private PodStatus status(String name) {
        Pod pod = client.pods().inNamespace("default").withName(name).get();
        return pod.getStatus();
    }

    @Test
    void runsWhatFitsAndRefusesTheRest() throws IOException {
        try (SimulatedNode node = join()) {
            create("fits", "4");
            create("too-wide", "5");

            await().atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
                assertThat(status("fits").getPhase()).isEqualTo("Running");
                assertThat(status("too-wide").getPhase()).isEqualTo("Failed");
            });
            assertThat(status("too-wide").getReason()).isEqualTo("TopologyAffinityError");
            assertThat(status("too-wide").getMessage())
                    .isEqualTo("Pod was rejected: Resources cannot be allocated with Topology locality");
            assertThat(node.kubelet().list().pods()).hasSize(1);
        }
    }

    @Test
    void saysItAgainWhenTheApiServerDidNotHear() throws IOException {
        server.faults()
                .times(2, request -> request.path().endsWith("/pods/fits/status"), Fault.ErrorResponse.conflict());
        try (SimulatedNode node = join()) {
            create("fits", "4");

            await().atMost(Duration.ofMinutes(3))
                    .untilAsserted(() -> assertThat(status("fits").getPhase()).isEqualTo("Running"));
            assertThat(node.kubelet().list().pods()).hasSize(1);
        }
    }

    @Test
    void showsAPodInItsReportsNotBeforeTheLagHasPassed() throws IOException {
        try (SimulatedNode node = join(new ReportLag(Duration.ofHours(1), Duration.ofMinutes(1), 1))) {
            create("fits", "4");

            await().atMost(Duration.ofMinutes(3))
                    .untilAsserted(() -> assertThat(status("fits").getPhase()).isEqualTo("Running"));
            assertThat(node.kubelet().list().pods()).isEmpty();
        }
    }

    @Test
    void leavesTheClusterAsItWas() throws IOException {
        join().close();

        assertThat(client.nodes().list().getItems()).isEmpty();
        assertThat(client.leases().inNamespace("kube-node-lease").list().getItems())
                .isEmpty();
    }

    @Test
    void doesNotTakeTheNameOfANodeThatIsNotSimulated() {
        client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName("small")
                        .endMetadata()
                        .build())
                .create();

        assertThatThrownBy(this::join)
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "the cluster has a node of this name that is not simulated: node=small; name the simulated one otherwise");
    }
}
