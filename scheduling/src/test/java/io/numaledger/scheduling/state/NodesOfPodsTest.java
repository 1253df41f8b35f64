package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;

class NodesOfPodsTest {

    private static final String CPUS_3 = "cpu: \"3\", memory: 1Gi";

    private final TestCluster cluster = new TestCluster();
    private final NodesOfPods nodes = new NodesOfPods();
    private final PodFacts pod = ClusterYaml.pending("p", CPUS_3);

    private ClusterNode node(String name) {
        return cluster.state.index().node(cluster.state.index().name(0).equals(name) ? 0 : 1);
    }

    @Test
    void deletingAPodThatWasNeverBoundDoesNotWaitForOtherNodes() {
        cluster.apply(ClusterYaml.node("busy"), ClusterYaml.node("n"));
        cluster.state.podChanged(pod);
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n", pod, evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();

        synchronized (node("busy")) {
            assertThat(CompletableFuture.runAsync(() -> cluster.state.podDeleted(pod)))
                    .succeedsWithin(Duration.ofSeconds(30));
        }

        assertThat(cluster.state.reservations()).isZero();
    }

    @Test
    void aDeletedPodIsPlannedNowhere() {
        cluster.apply(ClusterYaml.node("m"), ClusterYaml.node("n"));
        cluster.state.podChanged(pod);
        for (String name : List.of("m", "n")) {
            cluster.state.reserved().plan(cluster.state.use(name).orElseThrow(), 1, List.of(pod));
        }

        cluster.state.podDeleted(pod);

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    @Test
    void forgetsThePodOnceTheWatchShowsItThere() {
        nodes.add(pod, "n");
        nodes.bound(pod, "n");

        assertThat(nodes.isEmpty()).isTrue();
    }

    @Test
    void keepsTheOtherNodesOfABoundPodUntilItIsDeleted() {
        nodes.add(pod, "m");
        nodes.add(pod, "n");
        nodes.bound(pod, "n");

        assertThat(nodes.take(pod)).containsExactly("m");
        assertThat(nodes.isEmpty()).isTrue();
    }

    @Test
    void anotherPodOfTheSameNameHasItsOwnNodes() {
        nodes.add(pod, "n");
        PodFacts other =
                ClusterYaml.parsePod(ClusterYaml.pod("p", CPUS_3, "", "", "").replace("uid-p", "uid-q"));

        assertThat(nodes.take(other)).isEmpty();
        assertThat(nodes.take(pod)).containsExactly("n");
    }
}
