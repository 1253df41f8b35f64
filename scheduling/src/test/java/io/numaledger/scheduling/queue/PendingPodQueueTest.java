package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodScheduling;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;

/** A node with two zones of 4 CPUs, both full at first; an old pending pod that requests 4 CPUs, and a young one that requests 2. */
class PendingPodQueueTest {

    private static final Duration HOLD_AFTER = Duration.ofSeconds(2);
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String CPUS_2 = "cpu: \"2\", memory: 1Gi";
    private static final String A = ClusterYaml.running("a", "n", CPUS_4, "1-4");
    private static final String B = ClusterYaml.running("b", "n", CPUS_4, "5-8");

    private final TestCluster cluster = new TestCluster();
    private final AtomicLong nanos = new AtomicLong(-5);
    private final List<String> requeued = new ArrayList<>();
    private final List<String> nominations = new ArrayList<>();
    private PendingPodQueue queue = queue(HOLD_AFTER);
    private final PodFacts old = pod("old", CPUS_4, 0);
    private final PodFacts young = pod("young", CPUS_2, 1);

    private PendingPodQueue queue(Duration holdAfter) {
        return new PendingPodQueue(cluster.state, cluster.evaluator, holdAfter, nanos::get, this::requeue);
    }

    private void requeue(PodFacts pod, Optional<String> node) {
        requeued.add(pod.name());
        node.ifPresent(nominations::add);
    }

    @BeforeEach
    void fillTheNode() {
        cluster.apply(ClusterYaml.node("n"), A, B);
    }

    /** @param second in which it was created */
    private PodFacts pod(String name, String limits, int second) {
        String created = ", creationTimestamp: \"2026-01-01T00:00:0%dZ\"".formatted(second);
        PodFacts pod = ClusterYaml.read(ClusterYaml.pod(name, limits, created, "", ""))
                .pods()
                .get(0);
        cluster.state.podChanged(pod);
        return pod;
    }

    /** The same pod with this in its spec. */
    private static PodFacts with(PodFacts pod, String spec) {
        PodFacts changed = ClusterYaml.read("---\nkind: Pod\nmetadata: {name: x}\nspec: %s\n".formatted(spec))
                .pods()
                .get(0);
        return new PodFacts(
                pod.identity(),
                pod.lifecycle(),
                pod.records(),
                new PodScheduling(changed.priority(), pod.scheduler(), changed.constraints(), pod.attempt()),
                pod.group(),
                pod.request(),
                pod.nodeLevel());
    }

    /** A filter call for node n. Returns the nodes that are reserved for others. */
    private Set<String> filter(PodFacts pod, String spec) {
        long version = version();
        List<String> admitting = cluster.evaluator.admitting(List.of("n"), pod, cluster.state.budget(pod, 1));
        Map<String, PendingPod> reserved =
                queue.reservedForOlder(with(pod, spec), admitting, 1, cluster.state.budget(pod, 1));
        record(pod, spec, List.of("n"), reserved, reserved.size() < admitting.size(), version);
        return reserved.keySet();
    }

    /** A filter call that refuses the pod on these nodes, for lack of zones. */
    private void refuse(PodFacts pod, String node, long version) {
        record(pod, "{}", List.of(node), Map.of(), false, version);
    }

    /** A filter call for a pod that no zone takes, on these nodes. Some of them are held. */
    private void refuseHeld(PodFacts pod, List<String> held, String... nodes) {
        queue.record(new FilterOutcome(
                pod,
                NodeNames.of(cluster.state.index(), List.of(nodes)),
                Map.of(),
                false,
                version(),
                Optional.empty(),
                Optional.empty(),
                held));
    }

    @Test
    void aNamespaceDoesNotKeepThePodsOfOthersOut() {
        for (int i = 0; i < 1_000; i++) {
            queue.restore(ClusterYaml.parsePod(
                    ClusterYaml.pod("many-" + i, CPUS_4, "", "", "").replace("namespace: default", "namespace: many")));
        }
        queue.restore(old);
        assertThat(queue.waiting()).hasSize(1_000).contains(old);
        queue.restore(ClusterYaml.parsePod(
                ClusterYaml.pod("more", CPUS_4, "", "", "").replace("namespace: default", "namespace: many")));
        assertThat(queue.waiting()).hasSize(1_000).contains(old);
    }

    /** Else kube-scheduler would write for minutes that the pod waits for zones. */
    @Test
    void requestsOneRetryWhenNoNodeIsHeldAnyMoreThoughNoneTakesThePod() {
        PodFacts huge = pod("huge", "cpu: \"5\", memory: 1Gi", 0);
        cluster.apply(ClusterYaml.node("m"));
        cluster.state.topologyDeleted("m");
        cluster.state.topologyDeleted("n");
        refuseHeld(huge, List.of("m", "n"), "m", "n");
        check();
        cluster.apply(ClusterYaml.node("m"));
        check();
        ends("a"); // n is still held
        check();
        assertThat(requeued).isEmpty();

        cluster.apply(ClusterYaml.node("n"));
        check();
        ends("b");
        check();

        assertThat(requeued).containsExactly("huge");
        assertThat(nominations).isEmpty();
        refuseHeld(huge, List.of(), "m", "n");
        cluster.apply(A);
        check();
        assertThat(requeued).containsExactly("huge");
    }

    private void record(
            PodFacts pod,
            String spec,
            List<String> nodes,
            Map<String, PendingPod> reserved,
            boolean admitted,
            long version) {
        NodeNames names = NodeNames.of(cluster.state.index(), nodes);
        queue.record(new FilterOutcome(
                with(pod, spec), names, reserved, admitted, version, Optional.empty(), Optional.empty(), List.of()));
    }

    private long version() {
        return cluster.state.versions().last();
    }

    /** Each of the older ones alone would fit beside the young one, but not both. */
    @Test
    void holdsANodeForTwoOlderPodsTogether() {
        PodFacts one = pod("one", "cpu: \"3\", memory: 1Gi", 0);
        PodFacts two = pod("two", "cpu: \"3\", memory: 1Gi", 1);
        refuse(one, "n", version());
        refuse(two, "n", version());
        pass(HOLD_AFTER);
        ends("a");
        ends("b");

        assertThat(filter(pod("young", CPUS_2, 2), "{}")).containsExactly("n");
        assertThat(filter(pod("small", "cpu: \"1\", memory: 1Gi", 2), "{}")).isEmpty();
        queue.remove(two);
        assertThat(filter(pod("young", CPUS_2, 2), "{}")).isEmpty();
    }

    /** The scheduler calls filter for neither of them any more: the older one is gone, and the younger one waits for an event. */
    @Test
    void aNodeIsNotReservedForEverForAPodThatNobodyAsksAbout() {
        assertThat(filter(old, "{}")).isEmpty();
        refuse(young, "n", version());
        pass(HOLD_AFTER);
        ends("a");

        check();
        assertThat(requeued).doesNotContain("young");
        pass(PendingPodQueue.MAX_RESERVATION);
        check();

        assertThat(requeued).contains("young");
    }

    @Test
    void holdsNodesForAPodThatWasRefusedBeforeThisProcessStarted() {
        cluster.deletePod("a");

        queue.restore(old);

        assertThat(filter(young, "{}")).containsExactly("n");
        queue.remove(old);
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void requestsARetryOfAPodThatWasRefusedBeforeThisProcessStarted() {
        cluster.deletePod("a");
        queue.restore(old);
        queue.restore(old);

        check();

        assertThat(requeued).containsExactly("old");
    }

    /** Its annotations were valid when it was refused. */
    @ParameterizedTest
    @ValueSource(strings = {"kai.scheduler/max-numa-spread", "numaledger.io/claim-alignment"})
    void doesNotTakeAPodWhoseAnnotationsHaveBecomeInvalid(String annotation) {
        cluster.deletePod("a");
        PodFacts invalid = ClusterYaml.parsePod(ClusterYaml.pod(
                "invalid",
                CPUS_4,
                ", creationTimestamp: \"2026-01-01T00:00:00Z\", annotations: {%s: maybe}".formatted(annotation),
                "  resourceClaims: [{name: device, resourceClaimName: mine}]",
                ""));

        queue.restore(invalid);

        assertThat(filter(young, "{}")).isEmpty();
        check();
        assertThat(requeued).isEmpty();
        assertThat(queue.size()).isZero();
    }

    /** Two checks, far enough apart for a requeue. */
    private void check() {
        queue.checkPending();
        pass(PendingPodQueue.REQUEUE_AFTER);
        queue.checkPending();
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private void ends(String pod) {
        cluster.deletePod(pod);
    }

    /** Zone 0 becomes free when the old pod has been pending for long enough, and before the scheduler retries it. */
    private void freeAZone() {
        assertThat(filter(old, "{}")).isEmpty();
        pass(HOLD_AFTER);
        ends("a");
    }

    @Test
    void reservesFreeZonesForTheOlderPod() {
        freeAZone();
        assertThat(filter(young, "{}")).containsExactly("n");
        assertThat(filter(old, "{}")).isEmpty();
        assertThat(queue.size()).isEqualTo(2);
        queue.remove(old);
        queue.remove(young);
        assertThat(queue.size()).isZero();
        assertThat(requeued).isEmpty();
    }

    @Test
    void looksAtNodesUntilEnoughAreNotReserved() {
        freeAZone();
        cluster.apply(
                ClusterYaml.node("like-n"),
                ClusterYaml.running("c", "like-n", CPUS_4, "1-4"),
                ClusterYaml.node("free"));

        assertThat(queue.reservedForOlder(young, List.of("n", "like-n", "free"), 1, cluster.state.budget(young, 3)))
                .containsOnlyKeys("n", "like-n");
        assertThat(queue.reservedForOlder(young, List.of("free", "n", "like-n"), 1, cluster.state.budget(young, 3)))
                .isEmpty();
        assertThat(queue.reservedForOlder(young, List.of("free", "n", "like-n"), 2, cluster.state.budget(young, 3)))
                .containsOnlyKeys("n", "like-n");
    }

    @Test
    void reservesNothingForAPodThatFitsBeside() {
        freeAZone();
        ends("b");
        assertThat(filter(young, "{}")).isEmpty();
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void reservesNothingBeforeHoldAfter() {
        assertThat(filter(old, "{}")).isEmpty();
        pass(HOLD_AFTER.minusNanos(1));
        ends("a");
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void reservesNothingIfDisabled() {
        queue = queue(Duration.ZERO);
        freeAZone();
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void reservesNothingAgainstOlderPods() {
        filter(young, "{}");
        pass(HOLD_AFTER);
        ends("a");
        assertThat(filter(old, "{}")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{priority: 1}",
                "{nodeSelector: {disk: ssd}}",
                "{tolerations: [{key: gpu, operator: Exists}]}",
                "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}}}"
            })
    void reservesNothingAgainstPodsOfHigherPriorityOrForOtherNodes(String spec) {
        freeAZone();
        assertThat(filter(young, spec)).isEmpty();
        assertThat(filter(young, "{priority: -1}")).containsExactly("n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}",
                "{volumes: [{name: data, ephemeral: {}}]}",
                "{resourceClaims: [{name: gpu, resourceClaimName: gpu}]}",
                "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}]}",
                "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}}",
                "{affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone}]}}}"
            })
    void reservesNothingForPodsThatDependOnMoreThanZones(String spec) {
        assertThat(filter(old, spec)).isEmpty();
        pass(HOLD_AFTER);
        ends("a");
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void reservesForPodsWithTheSameTolerationsInAnotherOrderOfFields() {
        assertThat(filter(old, "{tolerations: [{key: a, operator: Exists, tolerationSeconds: 300}]}"))
                .isEmpty();
        pass(HOLD_AFTER);
        ends("a");
        assertThat(filter(young, "{tolerations: [{tolerationSeconds: 300, operator: Exists, key: a}]}"))
                .containsExactly("n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"containerPort: 80", "containerPort: 80, hostPort: 80"})
    void reservesForPodsWithPlainVolumesAndPorts(String port) {
        assertThat(filter(
                        old,
                        "{volumes: [{name: token, projected: {}}], containers: [{name: c, ports: [{%s}]}]}"
                                .formatted(port)))
                .isEmpty();
        pass(HOLD_AFTER);
        ends("a");
        assertThat(filter(young, "{volumes: [{name: other, projected: {}}]}")).containsExactly("n");
    }

    @Test
    void endsAReservationWhenTheOlderPodIsRefusedAgain() {
        freeAZone();
        assertThat(filter(young, "{}")).containsExactly("n");
        refuse(old, "other", version());
        check();
        assertThat(requeued).containsExactly("young");
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void endsAReservationWhenTheOlderPodIsDeleted() {
        freeAZone();
        assertThat(filter(young, "{}")).containsExactly("n");
        cluster.state.podDeleted(old);
        queue.remove(old);
        check();
        assertThat(requeued).containsExactly("young");
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void endsAReservationWhenTheOlderPodIsNotRetried() {
        freeAZone();
        assertThat(filter(young, "{}")).containsExactly("n");
        pass(PendingPodQueue.MAX_RESERVATION.minusNanos(1));
        assertThat(filter(young, "{}")).containsExactly("n");
        pass(Duration.ofNanos(1));
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void reservesNothingOnNodesWithoutTheDevicesOfTheOlderPod() {
        PodFacts other = pod("old-with-nic", CPUS_4 + ", example.com/nic: \"1\"", 0);
        filter(other, "{}");
        pass(HOLD_AFTER);
        ends("a");
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void keepsReservingWhileTheOlderPodIsRetried() {
        PodFacts oldest = pod("a-oldest", CPUS_4, 0);
        filter(oldest, "{}");
        filter(old, "{}");
        pass(HOLD_AFTER);
        ends("a");
        assertThat(filter(young, "{}")).containsExactly("n");
        queue.remove(oldest);
        pass(PendingPodQueue.MAX_RESERVATION);
        assertThat(filter(young, "{}")).as("reserved for the next oldest pod").containsExactly("n");
        pass(PendingPodQueue.MAX_RESERVATION);
        assertThat(filter(young, "{}")).isEmpty();
        record(old, "{}", List.of("n"), Map.of("n", new PendingPod(oldest, 0, 0)), false, version());
        assertThat(filter(young, "{}")).containsExactly("n");
    }

    @Test
    void reservesAgainOnceTheOlderPodWasRetriedAndRefused() {
        endsAReservationWhenTheOlderPodIsNotRetried();
        cluster.apply(A);
        assertThat(filter(old, "{}")).isEmpty();
        ends("a");
        assertThat(filter(young, "{}")).containsExactly("n");
    }

    @Test
    void requeuesAPodThatCouldRunAndIsNotRetried() {
        filter(old, "{}");
        check();
        assertThat(requeued).isEmpty();
        ends("a");
        queue.checkPending();
        pass(PendingPodQueue.REQUEUE_AFTER.minusNanos(1));
        queue.checkPending();
        assertThat(requeued).isEmpty();
        pass(Duration.ofNanos(1));
        queue.checkPending();
        assertThat(requeued).containsExactly("old");
        ends("b");
        check();
        assertThat(requeued).as("once, until it is retried").containsExactly("old");
    }

    /** kube-scheduler's attempt may end before it calls filter, or it may call another replica. */
    @Test
    void requestsARetryAgainUntilFilterIsCalled() {
        filter(old, "{}");
        ends("a");
        check();
        for (int seconds : List.of(30, 60, 120, 240, 300, 300)) {
            requeued.clear();
            pass(Duration.ofSeconds(seconds).minusNanos(1));
            queue.checkPending();
            assertThat(requeued).as("before %d s", seconds).isEmpty();
            pass(Duration.ofNanos(1));
            queue.checkPending();
            assertThat(requeued).as("after %d s", seconds).containsExactly("old");
        }

        filter(old, "{}");
        requeued.clear();
        pass(RetryRequests.MAX_PAUSE);
        queue.checkPending();
        assertThat(requeued).isEmpty();
    }

    @Test
    void requestsNoRetryAgainOfAPodThatFitsNoMore() {
        filter(old, "{}");
        ends("a");
        check();
        cluster.apply(A);
        requeued.clear();

        pass(RetryRequests.MAX_PAUSE);
        check();
        assertThat(requeued).isEmpty();

        ends("a");
        check();
        assertThat(requeued).containsExactly("old");
    }

    @Test
    void requestsARetryAgainSoonIfTheRequestCannotBeWritten() {
        filter(old, "{}");
        ends("a");
        check();
        for (int seconds : List.of(1, 2, 4)) {
            queue.requestFailed(old, Optional.empty());
            requeued.clear();
            pass(Duration.ofSeconds(seconds).minusNanos(1));
            queue.checkPending();
            assertThat(requeued).as("before %d s", seconds).isEmpty();
            pass(Duration.ofNanos(1));
            queue.checkPending();
            assertThat(requeued).as("after %d s", seconds).containsExactly("old");
        }
    }

    /** Others get the place of a pod that kube-scheduler does not try, although the request is repeated. */
    @Test
    void aRepeatedRequestProlongsNoNomination() {
        filter(old, "{}");
        ends("a");
        check();
        pass(RetryRequests.FIRST_PAUSE);
        queue.checkPending();
        assertThat(nominations).as("the nomination may have been lost").containsExactly("n", "n");
        pass(Nominations.TIMEOUT.minus(RetryRequests.FIRST_PAUSE));
        queue.checkPending();
        nominations.clear();
        requeued.clear();

        pass(RetryRequests.MAX_PAUSE);
        queue.checkPending();

        assertThat(requeued).containsExactly("old");
        assertThat(nominations).isEmpty();
        assertThat(filter(young, "{}")).containsExactly("n");
        pass(PendingPodQueue.MAX_RESERVATION);
        assertThat(filter(young, "{}")).isEmpty();
    }

    @Test
    void endsANominationAgainIfItsEndCannotBeWritten() {
        filter(old, "{}");
        ends("a");
        check();
        cluster.state.podChanged(old.nominatedFor("n"));
        pass(Nominations.TIMEOUT);
        queue.checkPending();
        assertThat(nominations).containsExactly("n", Requeuer.NO_NODE);

        queue.requestFailed(old, Optional.of(Requeuer.NO_NODE));
        pass(Nominations.TIMEOUT);
        nominations.clear();
        queue.checkPending();

        assertThat(nominations).contains(Requeuer.NO_NODE);
    }

    /** kube-scheduler saw the event before the cluster state did, or while the pod was evaluated. */
    @Test
    void requeuesAfterAChangeDuringTheEvaluation() {
        long before = version();
        cluster.deletePod("a");
        queue.checkPending();
        refuse(old, "n", before);
        check();
        assertThat(requeued).containsExactly("old");
    }

    @Test
    void requeuesAfterNewlyPublishedZones() {
        PodFacts large = pod("large", "cpu: \"8\", memory: 1Gi", 0);
        ends("a");
        ends("b");
        filter(large, "{}");
        check();
        assertThat(requeued).isEmpty();
        cluster.apply(ClusterYaml.node("n", "best-effort"));
        check();
        assertThat(requeued).containsExactly("large");
    }

    @Test
    void requeuesAPodWhoseClaimIsSeenNow() {
        ends("a");
        PodFacts pod = ClusterYaml.parsePod(ClusterYaml.pod(
                "x",
                CPUS_2,
                ", annotations: {numaledger.io/claim-alignment: required}",
                "  resourceClaims: [{name: device, resourceClaimName: mine}]",
                ""));
        cluster.state.podChanged(pod);
        refuse(pod, "n", version());
        check();
        assertThat(requeued).isEmpty();
        cluster.state
                .claims()
                .claimChanged(new ResourceClaim(
                        "default",
                        "mine",
                        "u",
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        Collections.emptySortedSet(),
                        List.of()));
        check();
        assertThat(requeued).containsExactly("x");
    }

    @Test
    void requeuesOnlyForNodesOfTheFilterCall() {
        refuse(old, "other", version());
        ends("a");
        check();
        assertThat(requeued).isEmpty();
    }

    @Test
    void doesNotRequeueIfAnotherPodTookTheZone() {
        filter(old, "{}");
        ends("a");
        queue.checkPending();
        cluster.apply(A);
        check();
        assertThat(requeued).isEmpty();
    }

    @Test
    void aRetryStartsOver() {
        filter(old, "{}");
        ends("a");
        queue.checkPending();
        cluster.apply(A);
        filter(old, "{}");
        check();
        assertThat(requeued).isEmpty();
        ends("a");
        check();
        assertThat(requeued).containsExactly("old");
    }

    @Test
    void doesNotKeepADeletedPod() {
        cluster.state.podDeleted(old);
        assertThat(filter(old, "{}")).isEmpty();
        assertThat(queue.size()).isZero();
    }
}
