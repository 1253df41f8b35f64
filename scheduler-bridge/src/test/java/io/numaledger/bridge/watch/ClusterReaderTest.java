package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.bridge.client.Pages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ClusterReaderTest {

    @Test
    void readsAllPagesOfAList(@TempDir Path directory) throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            for (int i = 0; i <= Pages.LIMIT; i++) {
                client.resource("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: p-%d, namespace: default}
                        spec: {containers: [{name: c, image: i}]}
                        """.formatted(i)).create();
            }

            assertThat(ClusterReader.read(client).pods()).hasSize((int) Pages.LIMIT + 1);
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

    /** Users can make pods so large that 500 of them do not fit in the heap. */
    @Test
    void readsFewLargeObjectsAtOnce(@TempDir Path directory) throws IOException {
        int pods = 40;
        String text = "x".repeat(1 << 20);
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            for (int i = 0; i < pods; i++) {
                client.resource(new PodBuilder()
                                .withNewMetadata()
                                .withName("p-" + i)
                                .withNamespace("default")
                                .endMetadata()
                                .withNewSpec()
                                .addNewContainer()
                                .withName("c")
                                .withImage("i")
                                .addNewEnv()
                                .withName("TEXT")
                                .withValue(text)
                                .endEnv()
                                .endContainer()
                                .endSpec()
                                .build())
                        .create();
            }

            assertThat(ClusterReader.read(client).pods()).hasSize(pods);
            assertThat(server.requests().all())
                    .anyMatch(request -> request.parameter("limit").equals(Optional.of("31")));
        }
    }
}
