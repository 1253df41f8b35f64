package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ClusterReaderTest {

    @Test
    void readsAllPagesOfAList(@TempDir Path directory) throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            for (int i = 0; i <= ClusterWatch.PAGE; i++) {
                client.resource("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: p-%d, namespace: default}
                        spec: {containers: [{name: c, image: i}]}
                        """.formatted(i)).create();
            }

            assertThat(ClusterReader.read(client).pods()).hasSize((int) ClusterWatch.PAGE + 1);
        }
    }

    /** OkHttp's timeout of a call ends with the last byte of the answer. */
    @Test
    void readsListsThatTakeLongerThanOtherAnswers(@TempDir Path directory) throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            client.getConfiguration().setRequestTimeout(500);
            client.getConfiguration().setRequestRetryBackoffLimit(0);
            server.faults().always(request -> true, new Fault.Delay(Duration.ofSeconds(1)));

            assertThatThrownBy(() -> client.nodes().list()).isInstanceOf(KubernetesClientException.class);
            assertThat(ClusterReader.read(client).pods()).isEmpty();
        }
    }

    @Test
    void callsTheHandlersOfAllWatchesInOneThread(@TempDir Path directory) throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            CompletableFuture<Thread> ofNodes = new CompletableFuture<>();
            CompletableFuture<Thread> ofNamespaces = new CompletableFuture<>();
            client.nodes().inform(new Listed<>(ofNodes));
            client.namespaces().inform(new Listed<>(ofNamespaces));

            assertThat(ofNodes)
                    .succeedsWithin(20, TimeUnit.SECONDS)
                    .isInstanceOf(WatchThread.class)
                    .isEqualTo(ofNamespaces.join());
        }
    }

    private record Listed<T>(CompletableFuture<Thread> in) implements ResourceEventHandler<T> {

        @Override
        public void onList(String resourceVersion, boolean remainedEmpty) {
            in.complete(Thread.currentThread());
        }

        @Override
        public void onAdd(T object) {}

        @Override
        public void onUpdate(T before, T object) {}

        @Override
        public void onDelete(T object, boolean unknownFinalState) {}
    }
}
