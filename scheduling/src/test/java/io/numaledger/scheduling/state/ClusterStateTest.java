package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PlacementSource;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class ClusterStateTest {

    private static final String CPUS_1 = "cpu: \"1\", memory: 1Gi";
    private static final String CPUS_3 = "cpu: \"3\", memory: 1Gi";
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    private final List<String> released = new ArrayList<>();
    private final TestCluster cluster =
            new TestCluster((pod, reservation) -> released.add(pod.key() + " " + pod.phase()), InstantSource.system());

    private boolean reserve(PodFacts pod) {
        return cluster.state
                .binds()
                .bind("n", pod, evaluation -> evaluation.orElseThrow().admits());
    }

    /** As the full model says; what filter answers from its caches must be the same. */
    private boolean fits(PodFacts pod) {
        boolean admits = FullModel.evaluate(snapshot(), pod).admits();
        assertThat(cluster.evaluate(List.of("n"), pod).get(0).admits()).isEqualTo(admits);
        return admits;
    }

    private AffinityMask numaNodes(PodFacts pod) {
        Evaluation evaluation = FullModel.evaluate(snapshot(), pod);
        return ((Fits) evaluation).placement().orElseThrow().numaNodes();
    }

    private NodeSnapshot snapshot() {
        return cluster.snapshot("n");
    }

    @Test
    void isExactWhereEveryPodIsObserved() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", CPUS_3, "1-3"));

        assertThat(snapshot().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(snapshot().pods()).extracting(PodHolding::source).containsExactly(PlacementSource.OBSERVED_EXACTLY);
        assertThat(fits(ClusterYaml.pending("x", CPUS_4))).isTrue();
        assertThat(numaNodes(ClusterYaml.pending("x", CPUS_4))).hasToString("{1}");
    }

    @Test
    void keepsAReservationFromTheBindUntilThePodIsObserved() {
        cluster.apply(ClusterYaml.node("n"));
        assertThat(reserve(ClusterYaml.pending("a", CPUS_4))).isTrue();
        assertThat(reserve(ClusterYaml.pending("b", CPUS_4))).isTrue();
        assertThat(reserve(ClusterYaml.pending("c", CPUS_1))).isFalse();
        assertThat(snapshot().pods()).extracting(PodHolding::source).containsOnly(PlacementSource.RESERVED);

        cluster.apply(ClusterYaml.running("a", "n", CPUS_4, "1-4"), ClusterYaml.running("b", "n", CPUS_4, "5-8"));

        assertThat(cluster.state.reservations()).isZero();
        assertThat(released).containsExactly("default/a Running", "default/b Running");
        assertThat(snapshot().confidence()).isEqualTo(Confidence.EXACT);
    }

    /** An observation changes confidence and holders; the watch's echo of a bind changes nothing. */
    @Test
    void keepsTheSnapshotWhenTheWatchShowsABoundPod() {
        cluster.apply(ClusterYaml.node("n"));
        reserve(ClusterYaml.pending("a", CPUS_4));
        NodeSnapshot reserved = snapshot();
        long version = cluster.state.versions().last();

        cluster.apply(ClusterYaml.pod("a", CPUS_4, "", "  nodeName: n", ""));
        assertThat(snapshot()).isSameAs(reserved);
        assertThat(cluster.state.versions().last()).isEqualTo(version);

        cluster.apply(ClusterYaml.pod("a", CPUS_4, "", "  nodeName: n", ", phase: Running"));
        assertThat(snapshot()).isNotSameAs(reserved);
    }

    @Test
    void movesAReservationThatContradictsAnObservation() {
        cluster.apply(ClusterYaml.node("n"));
        assertThat(reserve(ClusterYaml.pending("a", CPUS_4))).isTrue();
        assertThat(reserve(ClusterYaml.pending("b", CPUS_4))).isTrue();

        cluster.apply(ClusterYaml.running("b", "n", CPUS_4, "1-4"));
        cluster.apply(ClusterYaml.pod("a", CPUS_4, "", "  nodeName: n", ", phase: Running"));

        assertThat(snapshot().pods())
                .extracting(
                        PodHolding::key,
                        holding -> holding.placement().zones().keySet().toString())
                .containsExactlyInAnyOrder(tuple("default/b", "[0]"), tuple("default/a", "[1]"));
        assertThat(fits(ClusterYaml.pending("x", CPUS_1))).isFalse();
    }

    @Test
    void endsTheReservationOfAPodThatIsRefusedOrDeleted() {
        cluster.apply(ClusterYaml.node("n"));
        PodFacts deleted = ClusterYaml.pending("b", CPUS_4);
        cluster.state.podChanged(deleted);
        assertThat(reserve(ClusterYaml.pending("a", CPUS_4))).isTrue();
        assertThat(reserve(deleted)).isTrue();

        cluster.apply(
                ClusterYaml.pod("a", CPUS_4, "", "  nodeName: n", ", phase: Failed, reason: TopologyAffinityError"));
        cluster.state.podDeleted(deleted);

        assertThat(cluster.state.reservations()).isZero();
        assertThat(released).containsExactly("default/a Failed");
        assertThat(snapshot().pods()).isEmpty();
    }

    @Test
    void aTerminatingPodHoldsItsResourcesUntilItIsDeleted() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.terminating(ClusterYaml.running("a", "n", CPUS_4, "1-4")),
                ClusterYaml.running("b", "n", CPUS_4, "5-8"));
        PodFacts pod = ClusterYaml.pending("x", CPUS_4);

        assertThat(fits(pod)).isFalse();
        assertThat(FullModel.evaluate(snapshot(), snapshot().afterReleases(), pod)
                        .admits())
                .isTrue();
    }

    @Test
    void aTerminatingPodHoldsNothingOnceAnotherPodHasItsCpus() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.terminating(ClusterYaml.running("a", "n", CPUS_4, "1-4")),
                ClusterYaml.running("b", "n", CPUS_3, "2-4"));

        assertThat(snapshot().pods()).extracting(PodHolding::key).containsExactly("default/b");
        assertThat(snapshot().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(fits(ClusterYaml.pending("x", CPUS_1))).isTrue();
        assertThat(numaNodes(ClusterYaml.pending("x", CPUS_1))).hasToString("{0}");
    }

    @Test
    void chargesAPodWithoutRecordWithWhatIsMissingFromAvailable() {
        cluster.apply(
                ClusterYaml.node("n")
                        .replace("allocatable: \"4\", available: \"4\"", "allocatable: \"4\", available: \"1\""),
                ClusterYaml.pod("unrecorded", CPUS_3, "", "  nodeName: n", ", phase: Running"));

        assertThat(snapshot().confidence()).isEqualTo(Confidence.AGGREGATE);
        assertThat(PodNames.ALL.text(snapshot().reason())).contains("pod=default/unrecorded");
        assertThat(fits(ClusterYaml.pending("x", "cpu: \"2\", memory: 1Gi"))).isFalse();
        assertThat(fits(ClusterYaml.pending("x", CPUS_1))).isTrue();
    }

    /** They were placed without a scheduler, and nothing is published about them yet. */
    @Test
    void expectsPodsThatJustRunWhereTheModelPlacesThem() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.pod("one", CPUS_3, "", "  nodeName: n", ", phase: Running"),
                ClusterYaml.pod("two", CPUS_3, "", "  nodeName: n", ", phase: Running"));

        assertThat(snapshot().pods()).extracting(PodHolding::source).containsOnly(PlacementSource.EXPECTED);
        assertThat(fits(ClusterYaml.pending("x", "cpu: \"2\", memory: 1Gi"))).isFalse();
        assertThat(fits(ClusterYaml.pending("x", CPUS_1))).isTrue();
    }

    /** The zones still show two other pods, which have ended, with as many CPUs, but not in the same zones. */
    @Test
    void expectsPodsThatJustRunAlthoughTheZonesShowAsMuchOfOtherPods() {
        cluster.apply(
                ClusterYaml.nodeOfAgent("n", 2, 0, "default/old-a", "default/old-b"),
                ClusterYaml.pod("one", CPUS_3, "", "  nodeName: n", ", phase: Running"),
                ClusterYaml.pod("two", CPUS_3, "", "  nodeName: n", ", phase: Running"));

        assertThat(fits(ClusterYaml.pending("x", "cpu: \"2\", memory: 1Gi"))).isFalse();
        assertThat(fits(ClusterYaml.pending("x", CPUS_1))).isTrue();
    }

    @Test
    void predictsThePlacementOfABoundPodThatDoesNotRunYet() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.pod("bound", CPUS_3, "", "  nodeName: n", ", phase: Pending"));

        assertThat(snapshot().pods()).singleElement().satisfies(holding -> {
            assertThat(holding.source()).isEqualTo(PlacementSource.EXPECTED);
            assertThat(holding.placement().zones()).containsOnlyKeys(0);
        });
        assertThat(snapshot().confidence()).isEqualTo(Confidence.PREDICTED);
    }

    @Test
    void admitsEveryPodOnANodeWithoutZones() {
        cluster.apply(ClusterYaml.node("n").split("apiVersion: topology")[0]);

        assertThat(fits(ClusterYaml.pending("x", "cpu: \"400\", memory: 1Gi"))).isTrue();
        assertThat(PodNames.ALL.text(snapshot().reason())).startsWith("no zones are published");
    }

    @Test
    void followsATopologyThatIsCreatedChangedAndDeleted() {
        cluster.apply(ClusterYaml.node("n").split("apiVersion: topology")[0]);
        PodFacts wide = ClusterYaml.pending("x", "cpu: \"6\", memory: 1Gi");
        assertThat(fits(wide)).isTrue();
        cluster.apply(ClusterYaml.node("n"));
        assertThat(fits(wide)).isFalse();
        cluster.apply(ClusterYaml.node("n", "restricted"));
        assertThat(fits(wide)).isTrue();
        cluster.state.topologyDeleted("n");
        assertThat(fits(wide)).isFalse();
    }

    @Test
    void keepsTheSnapshotWhenOnlyAvailableAmountsChange() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", CPUS_3, "1-3"));
        assertThat(fits(ClusterYaml.pending("x", CPUS_4))).isTrue();
        long before = cluster.state.snapshotBuilds();

        cluster.apply(ClusterYaml.node("n")
                .replace("allocatable: \"4\", available: \"4\"", "allocatable: \"4\", available: \"1\""));

        assertThat(fits(ClusterYaml.pending("x", CPUS_4))).isTrue();
        assertThat(cluster.state.snapshotBuilds()).isEqualTo(before);
        assertThat(snapshot().topology().orElseThrow().available().get(0).get("cpu"))
                .isEqualTo(1000);
    }

    @Test
    void readsAvailableAmountsWhereAPodHasNoRecord() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", CPUS_3, "").replace("annotations: {", "labels: {"));
        assertThat(fits(ClusterYaml.pending("x", CPUS_4))).isTrue();

        cluster.apply(ClusterYaml.node("n")
                .replace("allocatable: \"4\", available: \"4\"", "allocatable: \"4\", available: \"1\""));

        assertThat(fits(ClusterYaml.pending("x", CPUS_4))).isFalse();
    }

    @Test
    void doesNotDependOnTheOrderOfEvents() {
        String[] documents = {
            ClusterYaml.node("n"),
            ClusterYaml.running("a", "n", CPUS_3, "1-3"),
            ClusterYaml.running("b", "n", CPUS_3, "5-7")
        };
        cluster.apply(documents);
        TestCluster other = new TestCluster();
        ClusterObjects objects = ClusterYaml.read(documents);
        objects.pods().forEach(other.state::podChanged);
        objects.topologies().values().forEach(topology -> other.state.topologyChanged(topology, Instant.EPOCH));
        objects.nodes().values().forEach(other.state::nodeChanged);

        assertThat(other.snapshot("n").now()).isEqualTo(snapshot().now());
    }

    /** The watch may miss that the first one was deleted. */
    @Test
    void aPodThatWasCreatedAnewIsNotPlannedWhereTheOldOneWas() {
        cluster.apply(ClusterYaml.node("n"));
        PodFacts old = ClusterYaml.pending("p", CPUS_3);
        cluster.state.podChanged(old);
        cluster.state.reserved().plan(cluster.state.use("n").orElseThrow(), 1, List.of(old));

        cluster.apply(ClusterYaml.pod("p", CPUS_3, "", "", "").replace("uid-p", "uid-q"));

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }
}
