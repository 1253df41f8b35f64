package io.numaledger.bridge.run;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.PodGroupName.Kind;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.group.GroupListener.Group;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class GroupWarningsTest {

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private GroupWarnings warnings;
    private final Group group = new Group(
            new PodGroupName(Kind.LABEL, "default", "g"),
            Optional.empty(),
            ClusterYaml.parsePod(ClusterYaml.pod("g-0", "cpu: 1, memory: 1Gi", "", "", "")));

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        warnings = process();
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private GroupWarnings process() {
        return new GroupWarnings(new PodEvents(client, Runnable::run, () -> {}, () -> now), () -> now);
    }

    private void refused(int fitting, String note) {
        warnings.warn(
                group, "GroupUnschedulable", note, "6 pods have to run together; %d fit%s".formatted(fitting, note));
    }

    private List<String> written() {
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .map(Event::getMessage)
                .toList();
    }

    /** Pods come and go for two minutes. */
    @Test
    void aReasonIsWrittenOnceWhileItsNumbersChange() {
        for (int second = 0; second < 120; second++) {
            now = now.plusSeconds(1);
            refused(second % 6, "");
        }

        assertThat(written()).containsExactly("6 pods have to run together; 0 fit");
    }

    @Test
    void reasonsThatAlternateAreWrittenOnceEach() {
        for (int i = 0; i < 10; i++) {
            refused(i, "");
            refused(i, "; 7 are assigned to rack=" + i);
        }

        assertThat(written())
                .containsExactlyInAnyOrder(
                        "6 pods have to run together; 0 fit",
                        "6 pods have to run together; 0 fit; 7 are assigned to rack=0");
    }

    @Test
    void theNumbersAreRefreshedAfterTenMinutes() {
        refused(1, "");
        now = now.plus(GroupWarnings.REFRESH);
        refused(2, "");
        refused(3, "");

        assertThat(written())
                .containsExactlyInAnyOrder("6 pods have to run together; 1 fit", "6 pods have to run together; 2 fit");
    }

    @Test
    void anotherProcessThatLeadsDoesNotWriteItAgain() {
        refused(1, "");
        warnings = process();
        refused(2, "");

        assertThat(written()).containsExactly("6 pods have to run together; 1 fit");
    }

    @Test
    void aLaterGroupOfTheNameIsSpokenOfAgain() {
        refused(1, "");
        warnings.gone(group.name());
        Group later = new Group(
                group.name(),
                Optional.empty(),
                ClusterYaml.parsePod(ClusterYaml.pod("g-9", "cpu: 1, memory: 1Gi", "", "", "")));
        warnings.warn(later, "GroupUnschedulable", "", "later");

        assertThat(written()).containsExactlyInAnyOrder("6 pods have to run together; 1 fit", "later");
    }
}
