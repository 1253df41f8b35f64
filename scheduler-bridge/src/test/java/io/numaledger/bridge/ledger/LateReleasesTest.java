package io.numaledger.bridge.ledger;

import io.numaledger.bridge.Cluster;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.verdict.Judge;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** A pod of 3 CPUs in zone 0 ends while another one of 3, predicted for zone 1, is on its way to the kubelet. */
class LateReleasesTest {

    private static final String CPUS_3 = "cpu: \"3\", memory: 1Gi";
    private static final PodFacts WAITING = Cluster.waiting("x", "cpu: \"4\", memory: 1Gi");

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

    private boolean fits() {
        return Judge.now(ledger.picture("n").orElseThrow(), WAITING).fits();
    }

    @BeforeEach
    void endOneWhileAnotherIsOnItsWay() {
        see(Cluster.node("n"), Cluster.running("ending", "n", CPUS_3, "1-3"));
        boolean reserved = ledger.bind(
                "n",
                Cluster.waiting("coming", CPUS_3),
                verdict -> verdict.orElseThrow().fits());
        assertThat(reserved).isTrue();
        see(Cluster.running("ending", "n", CPUS_3, "1-3").replace("phase: Running", "phase: Succeeded"));
    }

    @Test
    void chargesBothUntilItIsObservedWhereTheOtherOneLies() {
        assertThat(fits()).isFalse();

        see(Cluster.running("coming", "n", CPUS_3, "1-3"));

        assertThat(fits()).isTrue();
        assertThat(Judge.now(ledger.picture("n").orElseThrow(), WAITING).mask()).hasToString("{1}");
    }

    @Test
    void chargesNothingMoreWhenTheOtherOneIsRefused() {
        see(Cluster.pod("coming", CPUS_3, "", "  nodeName: n", ", phase: Failed, reason: TopologyAffinityError"));

        assertThat(fits()).isTrue();
    }

    @Test
    void chargesAPodThatWasDeletedAllTheSame() {
        ledger.podGone(ledger.pod("default/ending").orElseThrow());

        assertThat(fits()).isFalse();
    }

    @Test
    void waitsForAnObservationForAWhileOnly() {
        now = Instant.EPOCH.plus(LateReleases.LIMIT).minusMillis(1);
        assertThat(fits()).isFalse();

        now = Instant.EPOCH.plus(LateReleases.LIMIT);
        assertThat(fits()).isTrue();
    }

    @Test
    void waitsNotAsLongWhereNoPodIsEverObserved() {
        PodFacts ending = Cluster.waiting("ending", CPUS_3);
        see(Cluster.node("n").replace("metadata: {name: n}", "metadata: {name: m}"));
        for (PodFacts pod : List.of(ending, Cluster.waiting("coming", CPUS_3))) {
            assertThat(ledger.<Boolean>bind(
                            "m", pod, verdict -> verdict.orElseThrow().fits()))
                    .isTrue();
        }
        String predicted = ", annotations: {kai.scheduler/numa-placement-predicted: "
                + "'[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"3\"}}]'}";
        see(Cluster.pod("ending", CPUS_3, predicted, "  nodeName: m", ", phase: Running"));
        see(Cluster.pod("ending", CPUS_3, predicted, "  nodeName: m", ", phase: Succeeded"));

        now = Instant.EPOCH.plus(LateReleases.LIMIT_UNOBSERVED).minusMillis(1);
        assertThat(Judge.now(ledger.picture("m").orElseThrow(), WAITING).mask()).hasToString("{}");
        now = Instant.EPOCH.plus(LateReleases.LIMIT_UNOBSERVED);
        assertThat(Judge.now(ledger.picture("m").orElseThrow(), WAITING).mask()).hasToString("{0}");
    }

    @Test
    void freesAtOnceWhatEndsWhenEverythingIsObserved() {
        see(Cluster.running("coming", "n", CPUS_3, "5-7"));
        see(Cluster.running("coming", "n", CPUS_3, "5-7").replace("phase: Running", "phase: Succeeded"));

        assertThat(ledger.picture("n").orElseThrow().pods()).isEmpty();
    }
}
