package io.numaledger.scheduling.state;

import io.numaledger.evaluation.snapshot.PlacementSource;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process that has just started, or a replica that does not bind, knows which pods are in flight from their predicted records. Node
 * {@code n} has two zones of 4 CPUs.
 */
class AdoptedReservationsTest {

    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String LEAVING = ClusterYaml.terminating(ClusterYaml.running("leaving", "n", CPUS_4, "1-4"));

    private final List<String> reported = new ArrayList<>();
    private final Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster((pod, reservation) -> reported.add(pod.name()), () -> now);

    private static String inFlight(String zone, String more) {
        return ClusterYaml.pod(
                "p",
                CPUS_4,
                ", annotations: {kai.scheduler/numa-placement-predicted: '[{\"zone\":\"%s\",\"amount\":{\"cpu\":\"4\"}}]'%s}"
                        .formatted(zone, more),
                "  nodeName: n",
                ", phase: Pending");
    }

    private List<Long> cpusOfP(int zone) {
        return cluster.state
                .snapshots("n")
                .orElseThrow()
                .snapshots()
                .map(snapshot -> snapshot.pods().stream()
                        .filter(held -> held.key().equals("default/p"))
                        .mapToLong(held -> held.placement().on(zone).get("cpu"))
                        .sum())
                .distinct()
                .toList();
    }

    @Test
    void aPodInFlightIsWhereItIsPredictedOrWhereTheKubeletFreedAZone() {
        cluster.apply(ClusterYaml.node("n"), LEAVING, inFlight("node-1", ""));

        assertThat(cpusOfP(1))
                .as("as predicted, or in the zone of the terminating pod")
                .containsExactly(4000L, 0L);
        assertThat(cpusOfP(0)).containsExactly(0L, 4000L);
        assertThat(cluster.state.reservations()).isOne();
    }

    /** Its reservation knows the pods of that moment, which may have ended when the replica is asked. */
    @Test
    void isAdoptedAtOnceWhenTheNodeIsKnown() {
        cluster.apply(ClusterYaml.node("n"));
        cluster.snapshot("n");
        cluster.apply(inFlight("node-1", ""));

        assertThat(cluster.state.reservations()).isOne();
    }

    @Test
    void theOtherProcessMayHaveKnownPodsThatHaveEnded() {
        cluster.apply(ClusterYaml.node("n"), inFlight("node-1", ""));

        assertThat(cpusOfP(1)).as("the model would take zone 0").containsExactly(4000L, 0L);
        assertThat(cluster.binds("n", ClusterYaml.pending("next", CPUS_4))).isTrue();
        assertThat(cluster.binds("n", ClusterYaml.pending("next", "cpu: \"5\", memory: 1Gi")))
                .isFalse();
    }

    @Test
    void anObservationDecidesAndIsNotReportedAsAPredictionOfThisProcess() {
        cluster.apply(ClusterYaml.node("n"), LEAVING, inFlight("node-1", ""));
        cluster.snapshot("n");
        cluster.apply(inFlight("node-1", """
                , kai.scheduler/numa-placement-observed: '[{"zone":"node-0","amount":{"cpu":"4"}}]', \
                numaledger.io/placement: '{"containers":[{"name":"c","cpus":"1-4"}]}'"""));

        assertThat(cpusOfP(0)).containsExactly(4000L);
        assertThat(cluster.state.reservations()).isZero();
        assertThat(reported).isEmpty();
    }

    @Test
    void aPredictionThatIsNotBelievedIsNotAdopted() {
        cluster.apply(ClusterYaml.node("n"), inFlight("node-1", "").replace("\"cpu\":\"4\"", "\"cpu\":\"400\""));

        assertThat(cluster.state.reservations()).isZero();
        assertThat(cluster.snapshot("n").pods())
                .extracting(PodHolding::source)
                .containsExactly(PlacementSource.EXPECTED);
    }

    @Test
    void aPodThatHasRunForLongWithoutARecordIsNotInFlight() {
        cluster.apply(
                ClusterYaml.node("n"),
                inFlight("node-1", "")
                        .replace("phase: Pending", "phase: Running, startTime: \"2025-12-31T23:58:59Z\""));
        cluster.snapshot("n");

        assertThat(cluster.state.reservations()).isZero();
    }
}
