package io.numaledger.bridge.ledger;

import io.numaledger.bridge.Cluster;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.HeldPod;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two zones of 4 CPUs. A pod of 3 CPUs in zone 0 ends while another one of 3, predicted for zone 1 with 1 CPU taken, is on its way to the
 * kubelet: this one lies in zone 0 if the kubelet let go of the first before it met it. So 4 and 0 CPUs are free, or 1 and 3.
 */
class WorldsTest {

    private static final String ENDING = observed("ending", 0, "1-3");

    private Instant now = Instant.EPOCH;
    private final Ledger ledger = new Ledger(
            PictureSettings.DEFAULT,
            new Ranking(List.of(), Strategy.LeastNUMANodes),
            (pod, reservation) -> {},
            () -> now);

    private void see(String... documents) {
        ClusterObjects objects = Cluster.read(documents);
        objects.nodes().values().forEach(ledger::nodeSeen);
        objects.topologies().values().forEach(ledger::topologySeen);
        objects.pods().forEach(ledger::podSeen);
    }

    private static String cpus(int count) {
        return "cpu: \"%d\", memory: 1Gi".formatted(count);
    }

    private static String observed(String name, int zone, String cpus) {
        int count = CpuSet.parse(cpus).size();
        return Cluster.running(name, "n", cpus(count), cpus)
                .replace(
                        "annotations: {",
                        "annotations: {kai.scheduler/numa-placement-observed: '[{\"zone\":\"node-%d\",\"amount\":{\"cpu\":\"%d\"}}]', "
                                .formatted(zone, count));
    }

    /** Both what filter answers and what bind does. */
    private boolean bind(String name, int count) {
        PodFacts pod = Cluster.waiting(name, cpus(count));
        Outcome outcome = ledger.outcomes(List.of("n"), ledger.question(pod)).get(0);
        boolean bound = fits(ledger, pod);
        assertThat(outcome.fits()).isEqualTo(bound);
        return bound;
    }

    private static boolean fits(Ledger ledger, PodFacts pod) {
        return ledger.bind("n", pod, verdict -> verdict.orElseThrow().fits());
    }

    private List<String> held() {
        return ledger.picture("n").orElseThrow().pods().stream()
                .map((HeldPod pod) -> pod.key() + " " + pod.placement().zones().keySet())
                .sorted()
                .toList();
    }

    @BeforeEach
    void sendAPodToTheKubelet() {
        see(Cluster.node("n"), observed("fixed", 1, "5"), ENDING);
        assertThat(bind("coming", 3)).isTrue();
        assertThat(held()).containsExactly("default/coming [1]", "default/ending [0]", "default/fixed [1]");
    }

    private void endTheOther() {
        see(ENDING.replace("phase: Running", "phase: Succeeded"));
    }

    @Test
    void promisesAPlaceThatIsThereInEachWay() {
        endTheOther();

        assertThat(bind("next", 3)).isTrue();
        assertThat(bind("none", 2)).isFalse();
        assertThat(bind("last", 1)).isTrue();
    }

    @Test
    void promisesNoPlaceThatIsThereInOneWayOnly() {
        endTheOther();

        PodFacts most = Cluster.waiting("most", cpus(4));
        assertThat(bind("most", 4)).isFalse();
        assertThat(ledger.outcomes(List.of("n"), ledger.question(most)).get(0).sentence())
                .endsWith(", unless pods on their way lie as predicted");
    }

    @Test
    void opensAnotherWayForAPodThatIsDeleted() {
        ledger.podGone(ledger.pod("default/ending").orElseThrow());

        assertThat(bind("most", 4)).isFalse();
        assertThat(bind("next", 3)).isTrue();
    }

    @Test
    void knowsThatATerminatingPodIsReleasedWhereAnotherOneLies() {
        see(observed("coming", 1, "6-8"));
        see(observed("coming", 1, "6-8").replace("phase: Running", "phase: Succeeded"));
        see(Cluster.terminating(ENDING));
        assertThat(bind("next", 3)).isTrue();
        assertThat(held()).containsExactly("default/ending [0]", "default/fixed [1]", "default/next [1]");
        assertThat(bind("none", 3)).isFalse();

        see(observed("next", 0, "1-3"));

        assertThat(held()).containsExactly("default/fixed [1]", "default/next [0]");
        assertThat(bind("last", 3)).isTrue();
    }

    @Test
    void chargesATerminatingPodAgainAfterAWhileUnlessItsCpusAreTaken() {
        see(observed("coming", 1, "6-8"));
        see(observed("coming", 1, "6-8").replace("phase: Running", "phase: Succeeded"));
        see(Cluster.terminating(ENDING));
        assertThat(bind("next", 3)).isTrue();
        see(observed("next", 0, "1-3").replaceAll(", numaledger.io/placement: '[^']*'", ""));
        assertThat(held()).containsExactly("default/fixed [1]", "default/next [0]");

        now = Instant.EPOCH.plus(Worlds.LIMIT);

        assertThat(held()).contains("default/ending [0]");
    }

    @Test
    void takesWhatWasPredictedForTrueOnceItIsObserved() {
        endTheOther();

        see(observed("coming", 1, "6-8"));

        assertThat(bind("most", 4)).isTrue();
    }

    @Test
    void knowsWhereTheNextOneLiesWhenTheFirstIsObservedElsewhere() {
        endTheOther();
        assertThat(bind("next", 2)).isTrue();
        assertThat(held()).containsExactly("default/coming [1]", "default/fixed [1]", "default/next [0]");

        see(observed("coming", 0, "1-3"));

        assertThat(held()).containsExactly("default/coming [0]", "default/fixed [1]", "default/next [1]");
        assertThat(bind("none", 2)).isFalse();
        assertThat(bind("last", 1)).isTrue();
    }

    @Test
    void predictsAnewWhenOneIsObservedWhereItCouldNotBe() {
        endTheOther();
        assertThat(bind("next", 3)).isTrue();
        assertThat(held()).contains("default/next [0]");

        see(observed("coming", 0, "1-2"));

        assertThat(held()).containsExactly("default/coming [0]", "default/fixed [1]", "default/next [1]");
    }

    @Test
    void knowsOneWayWhenTheOneOnItsWayIsRefused() {
        endTheOther();

        see(Cluster.pod("coming", cpus(3), "", "  nodeName: n", ", phase: Failed, reason: TopologyAffinityError"));

        assertThat(bind("most", 4)).isTrue();
        assertThat(bind("next", 3)).isTrue();
    }

    @Test
    void waitsForAnObservationForAWhileOnly() {
        endTheOther();

        now = Instant.EPOCH.plus(Worlds.LIMIT).minusMillis(1);
        assertThat(bind("most", 4)).isFalse();
        now = Instant.EPOCH.plus(Worlds.LIMIT);
        assertThat(bind("most", 4)).isTrue();
    }

    @Test
    void takesAPodThatWasReservedLongAgoToLieAsPredicted() {
        now = Instant.EPOCH.plus(Worlds.LIMIT);

        endTheOther();

        assertThat(bind("most", 4)).isTrue();
    }

    /** Nothing happens to the node, but another answer holds from now on. */
    @Test
    void countsItAsAChangeWhenTheOtherWaysAreGivenUp() {
        endTheOther();
        assertThat(bind("most", 4)).isFalse();
        long before = ledger.changes();
        ledger.settle();
        assertThat(ledger.changes()).isEqualTo(before);

        now = Instant.EPOCH.plus(Worlds.LIMIT);
        ledger.settle();
        ledger.settle();

        assertThat(ledger.changes()).isEqualTo(before + 1);
        assertThat(ledger.names(ledger.changedSince(before))).containsExactly("n");
        assertThat(bind("most", 4)).isTrue();
    }

    @Test
    void waitsNotAsLongWhereNoPodIsEverObserved() {
        Ledger unobserved = new Ledger(
                PictureSettings.DEFAULT,
                new Ranking(List.of(), Strategy.LeastNUMANodes),
                (pod, reservation) -> {},
                () -> now);
        ClusterObjects objects = Cluster.read(Cluster.node("n"));
        objects.nodes().values().forEach(unobserved::nodeSeen);
        objects.topologies().values().forEach(unobserved::topologySeen);
        for (PodFacts pod : List.of(
                Cluster.waiting("ending", cpus(3)),
                Cluster.waiting("fixed", cpus(2)),
                Cluster.waiting("coming", cpus(2)))) {
            assertThat(fits(unobserved, pod)).isTrue();
        }
        Cluster.read(Cluster.pod("ending", cpus(3), "", "  nodeName: n", ", phase: Running"))
                .pods()
                .forEach(unobserved::podSeen);
        Cluster.read(Cluster.pod("ending", cpus(3), "", "  nodeName: n", ", phase: Succeeded"))
                .pods()
                .forEach(unobserved::podSeen);

        PodFacts most = Cluster.waiting("most", cpus(4));
        now = Instant.EPOCH.plus(Worlds.LIMIT_UNOBSERVED).minusMillis(1);
        assertThat(fits(unobserved, most)).isFalse();
        now = Instant.EPOCH.plus(Worlds.LIMIT_UNOBSERVED);
        assertThat(fits(unobserved, most)).isTrue();
    }
}
