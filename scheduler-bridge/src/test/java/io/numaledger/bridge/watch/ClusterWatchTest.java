package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.ClusterState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterWatchTest {

    private static final int NODES = 50;

    @TempDir
    private Path directory;

    @Test
    void isSyncedOnceTheClusterStateHasEveryObject() throws IOException, InterruptedException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            for (int i = 0; i < NODES; i++) {
                client.resource(new NodeBuilder()
                                .withNewMetadata()
                                .withName("n" + i)
                                .endMetadata()
                                .build())
                        .create();
            }
            client.resource("""
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: p, namespace: default}
                    spec: {containers: [{name: c, image: example.com/app:1}]}
                    """).create();
            ClusterState cluster = new TestCluster().state;
            CountDownLatch seen = new CountDownLatch(1);
            CountDownLatch goOn = new CountDownLatch(1);
            try (ClusterWatch watch = new ClusterWatch(
                    client,
                    cluster,
                    InstantSource.system(),
                    Optional.empty(),
                    pod -> {
                        seen.countDown();
                        await(goOn);
                    },
                    pod -> {})) {
                CompletableFuture<Void> started = watch.start();
                seen.await();

                assertThat(started).isNotDone();

                goOn.countDown();
                started.join();
                assertThat(cluster.snapshots()).hasSize(NODES);
                assertThat(cluster.pods().count()).isOne();
            }
        }
    }

    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void readsOnlyAsManyPodsAsMayWaitForTheirHandler() throws Exception {
        int pods = Backlog.MOST + 100;
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            for (int i = 0; i < pods; i++) {
                client.resource("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: p%d, namespace: default}
                        spec: {containers: [{name: c, image: example.com/app:1}]}
                        """.formatted(i)).create();
            }
            ClusterState cluster = new TestCluster().state;
            CountDownLatch goOn = new CountDownLatch(1);
            try (ClusterWatch watch = new ClusterWatch(
                    client, cluster, InstantSource.system(), Optional.empty(), pod -> await(goOn), pod -> {})) {
                CompletableFuture<Void> started = watch.start();
                while (!isReaderWaiting()) {
                    assertThat(Thread.interrupted()).as("timed out").isFalse();
                }

                goOn.countDown();
                started.join();
                assertThat(cluster.pods().count()).isEqualTo(pods);
            }
        }
    }

    private static boolean isReaderWaiting() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getClassName().equals(Backlog.class.getName())
                        && frame.getMethodName().equals("awaitHandlers"));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
