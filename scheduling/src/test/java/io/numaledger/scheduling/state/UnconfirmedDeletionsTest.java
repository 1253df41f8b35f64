package io.numaledger.scheduling.state;

import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.kubelet.NodeState;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

/** Pods that are deleted without their kubelet's confirmation. A node of two zones with 4 CPUs each; pod {@code a} fills zone 1. */
class UnconfirmedDeletionsTest {

    private static final String A = ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "5-8");

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> now);

    @BeforeEach
    void aPod() {
        cluster.apply(A, ClusterYaml.nodeOfAgent("n", 4, 0, "default/a"));
    }

    private List<String> holders() {
        return cluster.snapshot("n").pods().stream().map(PodHolding::key).toList();
    }

    @Test
    void stayChargedUntilTheAgentsZonesDoNotShowThem() {
        cluster.deletePod("a");
        assertThat(holders()).containsExactly("default/a (deleted)");
        assertThat(cluster.snapshot("n").pods()).allMatch(PodHolding::terminating);

        cluster.apply(ClusterYaml.nodeOfAgent("n", 4, 4));
        assertThat(holders()).isEmpty();
    }

    /** Else kube-scheduler would evict others while the zones of the victims become free. */
    @Test
    void areFreeAfterReleases() {
        cluster.deletePod("a");
        NodeSnapshot node = cluster.snapshot("n");

        assertThat(held(node.now())).containsExactly("default/a (deleted)");
        assertThat(held(node.afterReleases())).isEmpty();
    }

    private static Set<String> held(Optional<NodeState> state) {
        return state.orElseThrow().cpus().orElseThrow().byPod().keySet();
    }

    @Test
    void stayChargedForTenSecondsIfTheAgentPublishesNothing() {
        cluster.deletePod("a");
        now = now.plus(Duration.ofSeconds(9));
        cluster.state.expire();
        assertThat(holders()).hasSize(1);

        now = now.plus(Duration.ofSeconds(1));
        cluster.state.expire();
        assertThat(holders()).isEmpty();
    }

    @Test
    void areNotChargedIfTheAgentWasFaster() {
        cluster.apply(ClusterYaml.nodeOfAgent("n", 4, 4));
        cluster.deletePod("a");

        assertThat(holders()).isEmpty();
    }

    @Test
    void areNotChargedIfTheirKubeletHasConfirmedTheirEnd() {
        cluster.apply(A.replace("phase: Running", "phase: Failed"));
        cluster.deletePod("a");

        assertThat(holders()).isEmpty();
    }

    @Test
    void areNotChargedWhereAnotherExporterPublishesTheZones() {
        cluster.apply(ClusterYaml.node("n"));
        cluster.deletePod("a");

        assertThat(holders()).isEmpty();
    }

    @Test
    void stayChargedBesideAnotherPodOfTheirName() {
        cluster.deletePod("a");
        cluster.apply(
                ClusterYaml.running("a", "n", "cpu: \"3\", memory: 1Gi", "1-3").replace("uid-a", "uid-b"));

        assertThat(holders()).containsExactlyInAnyOrder("default/a", "default/a (deleted)");
        cluster.apply(ClusterYaml.nodeOfAgent("n", 1, 4, "default/a"));
        assertThat(holders()).as("the agent publishes names only").hasSize(2);
        now = now.plus(Duration.ofSeconds(10));
        cluster.state.expire();
        assertThat(cluster.snapshot("n").pods())
                .extracting(held -> held.placement().on(0).get("cpu"))
                .containsExactly(3000L);
    }

    /** The kubelet may have freed the CPUs before it admits the next pod, or after. */
    @Test
    void leaveOpenWhereTheNextPodGoes() {
        cluster.deletePod("a");
        var next = ClusterYaml.pending("next", "cpu: \"4\", memory: 1Gi");
        cluster.state
                .binds()
                .bind("n", next, evaluation -> evaluation.orElseThrow().admits());

        assertThat(cluster.state.snapshots("n").orElseThrow().others()).isEmpty();
        assertThat(cluster.binds("n", ClusterYaml.pending("third", "cpu: \"4\", memory: 1Gi")))
                .as("both zones may be taken")
                .isFalse();
    }
}
