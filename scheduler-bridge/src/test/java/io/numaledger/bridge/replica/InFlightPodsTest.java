package io.numaledger.bridge.replica;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.ClusterState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class InFlightPodsTest {

    /** Users can make so many pods wait for a kubelet, and so large ones, that they do not fit in the heap at once. */
    @Test
    void readsThePodsInPages(@TempDir Path directory) throws Exception {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            client.resource("""
                    apiVersion: v1
                    kind: Pod
                    metadata: {name: p, namespace: default}
                    spec: {nodeName: n, containers: [{name: c, image: example.com/app:1}]}
                    """).create();
            ClusterState cluster = new TestCluster().state;
            ClusterReader.read(client).pods().forEach(cluster::podChanged);
            server.requests().clear();

            new InFlightPods(client, cluster).await();

            assertThat(server.requests().all())
                    .singleElement()
                    .satisfies(request -> assertThat(request.parameter("limit")).isPresent());
        }
    }
}
