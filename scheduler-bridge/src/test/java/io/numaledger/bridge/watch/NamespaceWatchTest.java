package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.evaluation.facts.NamespaceDefaults;
import io.numaledger.evaluation.link.GpuLinks;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class NamespaceWatchTest {

    @TempDir
    private Path directory;

    @Test
    void knowsTheDefaultsOfAllNamespacesOnceItHasStarted() throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start();
                KubernetesClient client =
                        ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))))) {
            client.resource("""
                    apiVersion: v1
                    kind: Namespace
                    metadata: {name: team-a, annotations: {numaledger.io/gpu-links: required}}
                    """).create();
            NamespaceDefaults defaults = new NamespaceDefaults(List.of(GpuLinks.DEFAULTS));
            try (NamespaceWatch watch = new NamespaceWatch(client, defaults)) {
                watch.start().join();
                String pod = ClusterYaml.pod("x", "nvidia.com/gpu: \"2\"", "", "", "");
                assertThat(defaults.apply(ClusterYaml.parsePod(pod.replace("namespace: default", "namespace: team-a")))
                                .annotations())
                        .containsEntry("numaledger.io/gpu-links", "required");
                assertThat(defaults.apply(ClusterYaml.parsePod(pod)).annotations())
                        .isEmpty();
            }
        }
    }
}
