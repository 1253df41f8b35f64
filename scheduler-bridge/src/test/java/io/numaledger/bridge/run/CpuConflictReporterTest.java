package io.numaledger.bridge.run;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class CpuConflictReporterTest {

    private static final String CPUS_2 = "cpu: \"2\", memory: 1Gi";

    @TempDir
    private Path directory;

    private final TestCluster cluster = new TestCluster();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private CpuConflictReporter reporter;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        reporter = new CpuConflictReporter(new PodEvents(client, Runnable::run, () -> {}, InstantSource.system()));
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", CPUS_2, "1-2"));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private List<String> events() {
        reporter.report(cluster.state);
        return Stream.of("default", "other")
                .flatMap(namespace -> client.v1().events().inNamespace(namespace).list().getItems().stream())
                .map(event -> "%s %s: %s"
                        .formatted(event.getReason(), event.getInvolvedObject().getName(), event.getMessage()))
                .toList();
    }

    @Test
    void writesOneEventOnEachPodAndNoNameOfAnotherNamespace() {
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("other")
                        .endMetadata()
                        .build())
                .create();
        assertThat(events()).isEmpty();

        cluster.apply(ClusterYaml.running("b", "n", CPUS_2, "2-3").replace("namespace: default", "namespace: other"));

        String what = "; they slow each other down: delete one of them";
        for (int i = 0; i < 3; i++) {
            assertThat(events())
                    .containsExactlyInAnyOrder(
                            "CpusShared a: the kubelet gave CPU 2 to default/a, a pod of another namespace" + what,
                            "CpusShared b: the kubelet gave CPU 2 to other/b, a pod of another namespace" + what);
        }
    }

    @Test
    void reportsAReservedCpuAgainWhenItHasAnotherHolder() {
        cluster.apply(ClusterYaml.running("b", "n", CPUS_2, "0,3"));
        assertThat(events()).hasSize(1);
        cluster.deletePod("b");
        assertThat(events()).hasSize(1);
        cluster.apply(ClusterYaml.running("c", "n", CPUS_2, "0,3"));

        assertThat(events())
                .hasSize(2)
                .last()
                .asString()
                .startsWith("CpusShared c: the kubelet gave the reserved CPU 0 to default/c; end what holds");
    }
}
