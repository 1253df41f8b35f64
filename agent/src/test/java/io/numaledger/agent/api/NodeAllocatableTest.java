package io.numaledger.agent.api;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class NodeAllocatableTest {

    @TempDir
    private Path directory;

    private final Semaphore changes = new Semaphore(0);
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private ApiServer api;
    private NodeAllocatable allocatable;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build();
        api = ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(1000, 1000, System::nanoTime));
        create("n");
        create("other");
        allocatable = new NodeAllocatable(api, "n", changes::release);
    }

    @AfterEach
    void stop() {
        allocatable.close();
        api.close();
        client.close();
        server.close();
    }

    @Test
    void hearsOfAmountsOfItsNodeAndOfNothingElse() throws InterruptedException {
        allocatable.startWatching();
        awaitWatching();
        label("n");
        setAmount("other", "1");
        setAmount("n", "1");
        assertHeard();
        setAmount("n", "2");
        assertHeard();
        assertThat(changes.availablePermits()).isZero();
        assertThat(server.requests().matching(request -> request.path().equals("/api/v1/nodes")))
                .as("its one watch, and the two Nodes that the test created")
                .hasSize(3);
    }

    /** What it sees first is no change. */
    private void awaitWatching() throws InterruptedException {
        for (int i = 100; !changes.tryAcquire(1, TimeUnit.SECONDS); i++) {
            setAmount("n", Integer.toString(i));
        }
    }

    private void create(String name) {
        client.nodes()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    private void label(String name) {
        client.nodes().withName(name).edit(node -> {
            node.getMetadata().setLabels(Map.of("a", "b"));
            return node;
        });
    }

    private void setAmount(String name, String amount) {
        client.nodes()
                .withName(name)
                .editStatus(node -> new NodeBuilder(node)
                        .withNewStatus()
                        .withAllocatable(Map.of("example.com/nic", new Quantity(amount)))
                        .endStatus()
                        .build());
    }

    private void assertHeard() throws InterruptedException {
        assertThat(changes.tryAcquire(30, TimeUnit.SECONDS)).isTrue();
    }
}
