package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.BindRequest;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

/** A Node is deleted while the thread of another watch changes the state of the same node. */
@Timeout(60)
class RemovedNodeTest {

    private static final String CPUS_3 = "cpu: \"3\", memory: 1Gi";

    private final TestCluster cluster = new TestCluster();
    private final ClusterObjects node = ClusterYaml.read(ClusterYaml.node("n"));

    /** Deletes the Node when another thread has found the state of the node, and waits for the state's lock. */
    private void deleteDuring(Runnable event) throws InterruptedException {
        cluster.state.nodeChanged(node.nodes().get("n"));
        assertThat(cluster.state.snapshot("n")).isPresent();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread other = new Thread(event);
        other.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
        synchronized (cluster.state.index().node(0)) {
            other.start();
            while (other.isAlive() && other.getState() != Thread.State.BLOCKED) {
                Thread.onSpinWait();
            }
            cluster.state.nodeDeleted("n");
        }
        other.join();
        assertThat(failure.get()).isNull();
    }

    private void publishZones() {
        cluster.state.topologyChanged(node.topologies().get("n"), Instant.now());
    }

    @Test
    void keepsAPodThatIsSeenMeanwhile() throws InterruptedException {
        PodFacts pod = ClusterYaml.parsePod(ClusterYaml.running("a", "n", CPUS_3, "1-3"));

        deleteDuring(() -> cluster.state.podChanged(pod));
        cluster.apply(ClusterYaml.node("n"));

        assertThat(cluster.state.podsOn("n")).containsExactly(pod);
        assertThat(cluster.snapshot("n").pods()).hasSize(1);
    }

    @Test
    void keepsZonesThatArePublishedMeanwhile() throws InterruptedException {
        deleteDuring(this::publishZones);
        cluster.state.nodeChanged(node.nodes().get("n"));

        assertThat(cluster.snapshot("n").model().kubelet()).isPresent();
    }

    @Test
    void keepsThatZonesCannotBeRead() throws InterruptedException {
        deleteDuring(() -> cluster.state.topologyUnreadable("n", "broken"));
        cluster.state.nodeChanged(node.nodes().get("n"));

        assertThat(cluster.snapshot("n").model().toString()).contains("broken");
    }

    @Test
    void keepsAPodThatAnotherSchedulerIsAboutToBind() throws InterruptedException {
        PodFacts pod = ClusterYaml.pending("a", CPUS_3);
        cluster.state.podChanged(pod);

        deleteDuring(() -> cluster.state.bindRequestChanged(
                new BindRequest("default", "a", pod.uid(), "n", Optional.empty(), false), Set.of()));

        assertThat(cluster.state.podsOn("n")).extracting(PodFacts::key).containsExactly("default/a");
    }

    @Test
    void answersABindAsForANodeThatIsNotShown() throws InterruptedException {
        AtomicReference<Boolean> shown = new AtomicReference<>();
        publishZones();

        deleteDuring(() -> cluster.state.binds().bind("n", ClusterYaml.pending("a", CPUS_3), evaluation -> {
            shown.set(evaluation.isPresent());
            return true;
        }));

        assertThat(shown.get()).isFalse();
    }

    /** Else each node of a cluster that grows and shrinks would leave something behind. */
    @Test
    void leavesNothingOfANodeWhicheverOfItsObjectsIsDeletedLast() {
        String pod = ClusterYaml.running("a", "n", CPUS_3, "1-3");
        cluster.apply(ClusterYaml.node("n"), pod);
        cluster.state.nodeDeleted("n");
        cluster.deletePod("a");
        cluster.state.topologyDeleted("n");
        assertThat(cluster.state.index().size()).isZero();

        cluster.apply(ClusterYaml.node("n"), pod);
        cluster.state.nodeDeleted("n");
        cluster.state.topologyDeleted("n");
        cluster.deletePod("a");
        assertThat(cluster.state.index().size()).isZero();
        assertThat(cluster.state.versions().slots()).isEqualTo(1);
    }

    /** Filter would look for reservations in every call. */
    @Test
    void removesTheReservationsOfANodeWithIt() {
        cluster.apply(ClusterYaml.node("n"));
        NodeUse use = cluster.state.use("n").orElseThrow();
        assertThat(cluster.state.reserved().plan(use, 1, List.of(ClusterYaml.pending("a", CPUS_3))))
                .isTrue();

        cluster.state.topologyDeleted("n");
        cluster.state.nodeDeleted("n");

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
        assertThat(cluster.state.reserved().plan(use, 2, List.of(ClusterYaml.pending("b", CPUS_3))))
                .isFalse();
        assertThat(cluster.state.reserved().isEmpty()).isTrue();
    }
}
