package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.fakeapiserver.EmbeddedApiServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

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
}
