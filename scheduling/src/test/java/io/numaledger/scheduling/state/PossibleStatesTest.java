package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.evaluation.snapshot.PredictedAllocation;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.PossibleStates.Placements;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two zones of 4 CPUs. The pod "ending" with 3 CPUs in zone 0 ends while the pod "coming" with 3 CPUs is in flight to the kubelet. It
 * is predicted for zone 1, where 1 CPU is taken. It lies in zone 0 if the kubelet freed the first pod's CPUs before it admitted it.
 * So 4 and 0 CPUs are free, or 1 and 3.
 */
class PossibleStatesTest {

    private static final String ENDING = observed("ending", 0, "1-3");

    private Instant now = Instant.EPOCH;
    private final TestCluster cluster = new TestCluster((pod, reservation) -> {}, () -> now);

    private static String cpus(int count) {
        return "cpu: \"%d\", memory: 1Gi".formatted(count);
    }

    private static String observed(String name, int zone, String cpus) {
        int count = CpuSet.parse(cpus).size();
        return ClusterYaml.running(name, "n", cpus(count), cpus)
                .replace(
                        "annotations: {",
                        "annotations: {kai.scheduler/numa-placement-observed: '[{\"zone\":\"node-%d\",\"amount\":{\"cpu\":\"%d\"}}]', "
                                .formatted(zone, count));
    }

    /** Binds the pod; filter and bind must agree. */
    private boolean bind(String name, int count) {
        PodFacts pod = ClusterYaml.pending(name, cpus(count));
        boolean admits = evaluate(pod).admits();
        assertThat(bind(cluster, pod)).isEqualTo(admits);
        return admits;
    }

    private static boolean bind(TestCluster cluster, PodFacts pod) {
        return cluster.state
                .binds()
                .bind("n", pod, evaluation -> evaluation.orElseThrow().admits());
    }

    private Evaluation evaluate(PodFacts pod) {
        return cluster.evaluate(List.of("n"), pod).get(0);
    }

    private List<String> placed() {
        return placed(cluster);
    }

    private static List<String> placed(TestCluster cluster) {
        return cluster.snapshot("n").pods().stream()
                .map((PodHolding pod) ->
                        pod.key() + " " + pod.placement().zones().keySet())
                .sorted()
                .toList();
    }

    @BeforeEach
    void bindAPod() {
        cluster.apply(ClusterYaml.node("n"), observed("fixed", 1, "5"), ENDING);
        assertThat(bind("coming", 3)).isTrue();
        assertThat(placed()).containsExactly("default/coming [1]", "default/ending [0]", "default/fixed [1]");
    }

    private void endThePodBefore() {
        cluster.apply(ENDING.replace("phase: Running", "phase: Succeeded"));
    }

    @Test
    void reservesAPlaceThatIsFreeInEveryPossibleState() {
        endThePodBefore();

        assertThat(bind("next", 3)).isTrue();
        assertThat(bind("none", 2)).isFalse();
        assertThat(bind("last", 1)).isTrue();
    }

    @Test
    void refusesAPlaceThatIsFreeInSomePossibleStatesOnly() {
        endThePodBefore();

        PodFacts most = ClusterYaml.pending("most", cpus(4));
        assertThat(bind("most", 4)).isFalse();
        assertThat(PodNames.ALL.text(((Refused) evaluate(most)).message()))
                .endsWith(", if the kubelet placed pods in flight otherwise than predicted");
    }

    @Test
    void addsAPossibleStateWhenAPodIsDeleted() {
        cluster.deletePod("ending");

        assertThat(bind("most", 4)).isFalse();
        assertThat(bind("next", 3)).isTrue();
    }

    @Test
    void aTerminatingPodHoldsNothingWhereAnObservedPodLies() {
        cluster.apply(observed("coming", 1, "6-8"));
        cluster.apply(observed("coming", 1, "6-8").replace("phase: Running", "phase: Succeeded"));
        cluster.apply(ClusterYaml.terminating(ENDING));
        assertThat(bind("next", 3)).isTrue();
        assertThat(placed()).containsExactly("default/ending [0]", "default/fixed [1]", "default/next [1]");
        assertThat(bind("none", 3)).isFalse();

        cluster.apply(observed("next", 0, "1-3"));

        assertThat(placed()).containsExactly("default/fixed [1]", "default/next [0]");
        assertThat(bind("last", 3)).isTrue();
    }

    @Test
    void aTerminatingPodHoldsNothingHoweverLongItTakesToEnd() {
        cluster.apply(observed("coming", 1, "6-8"));
        cluster.apply(observed("coming", 1, "6-8").replace("phase: Running", "phase: Succeeded"));
        cluster.apply(ClusterYaml.terminating(ENDING));
        assertThat(bind("next", 3)).isTrue();
        cluster.apply(observed("next", 0, "1-3").replaceAll(", numaledger.io/placement: '[^']*'", ""));

        now = Instant.EPOCH.plus(Duration.ofHours(1));

        assertThat(placed()).containsExactly("default/fixed [1]", "default/next [0]");
    }

    @Test
    void keepsThePredictedStateWhenItIsObserved() {
        endThePodBefore();

        cluster.apply(observed("coming", 1, "6-8"));

        assertThat(bind("most", 4)).isTrue();
    }

    @Test
    void anObservationDecidesWhereTheNextPodLies() {
        endThePodBefore();
        assertThat(bind("next", 2)).isTrue();
        assertThat(placed()).containsExactly("default/coming [1]", "default/fixed [1]", "default/next [0]");

        cluster.apply(observed("coming", 0, "1-3"));

        assertThat(placed()).containsExactly("default/coming [0]", "default/fixed [1]", "default/next [1]");
        assertThat(bind("none", 2)).isFalse();
        assertThat(bind("last", 1)).isTrue();
    }

    @Test
    void predictsAgainAfterAnImpossibleObservation() {
        endThePodBefore();
        assertThat(bind("next", 3)).isTrue();
        assertThat(placed()).contains("default/next [0]");

        cluster.apply(observed("coming", 0, "1-2"));

        assertThat(placed()).containsExactly("default/coming [0]", "default/fixed [1]", "default/next [1]");
    }

    /** Else filter would answer from a cache that knows nothing of the wait, and bind would refuse the pod. */
    @Test
    void aNodeWithMorePodsInFlightThanAreFollowedIsNotSettledAlthoughOneStateIsFollowed() {
        PossibleStates states = new PossibleStates(() -> now, (state, pod) -> inZone0(pod));
        for (int i = 0; i < 10; i++) {
            PodFacts pod = ClusterYaml.pending("p" + i, cpus(1));
            states.add(pod, inZone0(pod), List.of(), true);
        }
        states.podEnded("default/p0", true);

        assertThat(states.all()).hasSize(1);
        assertThat(states.isIncomplete()).isTrue();
        assertThat(states.validUntil()).isPresent();
    }

    private Placements inZone0(PodFacts pod) {
        PodAllocation allocation = new PodAllocation(pod.namespace(), pod.name(), List.of());
        Placement placement = new Placement.Builder().add(0, "cpu", 1000).build();
        return new Placements(
                List.of(new PodInFlight(
                        pod, new PredictedAllocation(allocation, Optional.empty()), placement, now, false)),
                true);
    }

    @Test
    void oneStateIsLeftWhenThePodInFlightIsRefused() {
        endThePodBefore();

        cluster.apply(ClusterYaml.pod(
                "coming", cpus(3), "", "  nodeName: n", ", phase: Failed, reason: TopologyAffinityError"));

        assertThat(bind("most", 4)).isTrue();
        assertThat(bind(cluster, ClusterYaml.pending("next", "cpu: \"3\", memory: 2Gi")))
                .as("not equal to the pod that was refused")
                .isTrue();
    }

    @Test
    void keepsOtherStatesUntilThePodInFlightIsObservedHoweverLateThatIs() {
        endThePodBefore();

        now = Instant.EPOCH.plus(Duration.ofHours(1));
        cluster.state.expire();
        assertThat(bind("most", 4)).isFalse();
        cluster.apply(observed("coming", 1, "6-8"));
        assertThat(bind("most", 4)).isTrue();
    }

    @Test
    void keepsOtherStatesOnANodeWhoseAgentHasObservedNoPodYet() {
        TestCluster unobserved = new TestCluster((pod, reservation) -> {}, () -> now);
        unobserved.apply(ClusterYaml.nodeOfAgent("n", 4, 4));
        endAPodBeforeAnother(unobserved);

        now = Instant.EPOCH.plus(Duration.ofHours(1));
        assertThat(bind(unobserved, ClusterYaml.pending("most", cpus(4)))).isFalse();
    }

    @Test
    void aPodInFlightStaysInItsZoneIfAnotherPodWasObservedOnItsCpus() {
        TestCluster other = new TestCluster((pod, reservation) -> {}, () -> now);
        String full = observed("full", 0, "1-4");
        other.apply(ClusterYaml.node("n"), full);
        assertThat(bind(other, ClusterYaml.pending("coming", cpus(2)))).isTrue();
        other.apply(full.replace("phase: Running", "phase: Succeeded"));

        other.apply(observed("first", 1, "5-6"));

        assertThat(placed(other)).containsExactly("default/coming [1]", "default/first [1]");
    }

    @Test
    void anOldReservationLiesAsPredicted() {
        now = Instant.EPOCH.plus(PossibleStates.ADMISSION_LIMIT);

        endThePodBefore();

        assertThat(bind("most", 4)).isTrue();
    }

    /** No event arrives, but results change. */
    @Test
    void expiryOfOtherStatesIsAChangeOfTheNode() {
        TestCluster unobserved = unobserved();
        endAPodBeforeAnother(unobserved);
        PodFacts most = ClusterYaml.pending("most", cpus(4));
        assertThat(bind(unobserved, most)).isFalse();
        long before = unobserved.state.versions().last();
        unobserved.state.expire();
        assertThat(unobserved.state.versions().last()).isEqualTo(before);

        now = Instant.EPOCH.plus(PossibleStates.LIMIT_UNOBSERVED);
        unobserved.state.expire();
        unobserved.state.expire();

        assertThat(unobserved.state.versions().last()).isEqualTo(before + 1);
        assertThat(unobserved
                        .state
                        .index()
                        .names(unobserved.state.versions().changedSince(before, unobserved.state.index())))
                .containsExactly("n");
        assertThat(bind(unobserved, most)).isTrue();
    }

    @Test
    void dropsOtherStatesAfterTheLimitWhereNoPodIsEverObserved() {
        TestCluster unobserved = unobserved();
        endAPodBeforeAnother(unobserved);

        PodFacts most = ClusterYaml.pending("most", cpus(4));
        now = Instant.EPOCH.plus(PossibleStates.LIMIT_UNOBSERVED).minusMillis(1);
        assertThat(bind(unobserved, most)).isFalse();
        now = Instant.EPOCH.plus(PossibleStates.LIMIT_UNOBSERVED);
        assertThat(bind(unobserved, most)).isTrue();
    }

    /** Another exporter than the agent publishes the zones. */
    private TestCluster unobserved() {
        TestCluster unobserved = new TestCluster((pod, reservation) -> {}, () -> now);
        unobserved.apply(ClusterYaml.node("n"));
        return unobserved;
    }

    private static void endAPodBeforeAnother(TestCluster unobserved) {
        for (PodFacts pod : List.of(
                ClusterYaml.pending("ending", cpus(3)),
                ClusterYaml.pending("fixed", cpus(2)),
                ClusterYaml.pending("coming", cpus(2)))) {
            assertThat(bind(unobserved, pod)).isTrue();
        }
        unobserved.apply(ClusterYaml.pod("ending", cpus(3), "", "  nodeName: n", ", phase: Running"));
        unobserved.apply(ClusterYaml.pod("ending", cpus(3), "", "  nodeName: n", ", phase: Succeeded"));
    }
}
