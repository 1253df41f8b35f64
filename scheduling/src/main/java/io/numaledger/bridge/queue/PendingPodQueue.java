package io.numaledger.bridge.queue;

import io.numaledger.bridge.alignment.AlignmentDemand;
import io.numaledger.bridge.batch.BatchEvaluator;
import io.numaledger.bridge.batch.ClusterSearch;
import io.numaledger.bridge.budget.EvaluationBudget;
import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.PodShape;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeIndex;
import io.numaledger.bridge.state.NodeNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Pods that wait for free zones. Keeps large pods from starving and retries forgotten ones.
 *
 * <p><b>Reservations.</b> kube-scheduler retries a pod with growing back-off, so zones that become free would go to new and small
 * pods. A node that could now run a pod that has been pending for some time is therefore reserved for it: younger pods with the
 * same scheduling terms are refused there, if the older pod, or some of the oldest ones together, would not fit beside them. A
 * reservation ends when kube-scheduler has tried the older pod again.
 *
 * <p><b>Requeues.</b> kube-scheduler retries a refused pod after events that it watches. It may receive an event before the cluster
 * state does, and it does not watch some changes, such as newly published zones. The queue therefore asks for a retry of a pod that
 * could run and that kube-scheduler does not try, and nominates it for the best node that takes it: kube-scheduler looks at this node first.
 * A pod that fits none of the nodes in kube-scheduler's sample, and another node, is nominated for that one at once.
 */
public final class PendingPodQueue {

    /** kube-scheduler retries a pod after 10 seconds at the latest (its default podMaxBackoffSeconds), if it retries it at all. */
    static final Duration MAX_RESERVATION = Duration.ofSeconds(10);

    /** How long a pod could run before a retry is requested; mostly kube-scheduler tries the pod by itself. */
    static final Duration REQUEUE_AFTER = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(PendingPodQueue.class);
    private static final int MAX_PODS = 1_000;
    private static final int PODS_PER_CHECK = 20;

    /** Among so many nodes one is left for a pod, although some are reserved for older ones. */
    private static final int ENOUGH_NODES = 16;

    /** How often pods are checked. */
    public static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final Duration holdAfter;
    private final LongSupplier nanos;
    private final Requeuer requeuer;
    private final ClusterSearch search;
    private final Map<String, PendingPod> byUid = new HashMap<>();
    private final UnseenPods unseen;
    private final RefusingNodes refusing = new RefusingNodes();
    private final NavigableSet<PendingPod> byAge = new TreeSet<>(PendingPod.OLDEST_FIRST);
    private long checkedVersion;
    private int nextToCheck;

    /**
     * @param holdAfter how long a pod must be pending before nodes are reserved for it; zero: they never are
     * @param nanos a clock that does not jump
     */
    public PendingPodQueue(
            ClusterState cluster, BatchEvaluator evaluator, Duration holdAfter, LongSupplier nanos, Requeuer requeuer) {
        this.cluster = cluster;
        this.evaluator = evaluator;
        this.holdAfter = holdAfter;
        this.nanos = nanos;
        this.requeuer = requeuer;
        this.search = new ClusterSearch(cluster, evaluator);
        this.unseen = new UnseenPods(cluster, nanos);
    }

    /** The same as below for all of these nodes, in this order. */
    public Map<String, PendingPod> reservedForOlder(
            PodFacts pod, List<String> admitting, int enough, EvaluationBudget budget) {
        NodeNames names = NodeNames.of(cluster.index(), admitting);
        return reservedForOlder(
                pod, names, () -> IntStream.range(0, names.size()).toArray(), enough, budget);
    }

    /**
     * The nodes among these that are reserved for an older pod, and which one. Changes nothing.
     *
     * @param admitting the places of those that admit the pod: they are looked at in this order, if any pod is older
     * @param enough stop when so many of them are not reserved
     * @param budget of the call
     */
    public synchronized Map<String, PendingPod> reservedForOlder(
            PodFacts pod, NodeNames names, Supplier<int[]> admitting, int enough, EvaluationBudget budget) {
        List<PendingPod> before = older(pod);
        if (before.isEmpty()) {
            return Map.of();
        }
        OlderPods older = new OlderPods(cluster, evaluator, pod, before, refusing.of(before), budget);
        Map<String, PendingPod> reserved = new HashMap<>();
        int seen = 0;
        for (int place : admitting.get()) {
            if (seen++ - reserved.size() >= enough) {
                break;
            }
            older.reservedFor(names, place).ifPresent(each -> reserved.put(names.get(place), each));
        }
        older.finish();
        return reserved;
    }

    private List<PendingPod> older(PodFacts pod) {
        if (holdAfter.isZero()) {
            return List.of();
        }
        long now = nanos.getAsLong();
        return byAge.stream()
                .takeWhile(each -> PodFacts.BY_AGE.compare(each.pod, pod) < 0)
                .filter(each -> now - each.since >= holdAfter.toNanos()
                        && !PendingPod.isOver(each.reservingSince, MAX_RESERVATION, now)
                        && each.pod.priority().value() >= pod.priority().value()
                        && each.pod.constraints().allow(pod.constraints()))
                .toList();
    }

    /**
     * Records a filter call: when nodes were first reserved for older pods, and whether the pod is pending now. A pod that the
     * watch does not show is not kept, because no event would remove it: see {@link #whenShown}.
     */
    public synchronized void record(FilterOutcome outcome) {
        PodFacts pod = outcome.pod();
        pod.uid().map(byUid::get).ifPresent(known -> {
            known.nominations.refusing(outcome).ifPresent(node -> endNomination(known, node, outcome));
            known.tried();
        });
        begin(outcome.reserved().values());
        outcome.reserved()
                .forEach((node, older) ->
                        log.debug("event=node.reserved node={} pod={} from={}", node, older.pod.key(), pod.key()));
        if (!outcome.admitted()) {
            refused(outcome);
        }
    }

    /** The place is for others from now on. kube-scheduler ends the nomination itself, mostly. */
    private void endNomination(PendingPod pending, String node, FilterOutcome outcome) {
        cluster.endNomination(pending.pod, node);
        pending.nominations.refused(!outcome.isForNominatedNode(), version(node), nanos.getAsLong());
    }

    private long version(String node) {
        return cluster.index().slot(node).stream()
                .mapToLong(cluster.versions()::get)
                .findAny()
                .orElse(0);
    }

    /** Nodes are reserved for these pods from now on, if they have not been. */
    private void begin(Collection<PendingPod> reserving) {
        reserving.forEach(
                older -> older.reservingSince = older.reservingSince.or(() -> Optional.of(nanos.getAsLong())));
    }

    private void refused(FilterOutcome outcome) {
        PodFacts pod = outcome.pod();
        Optional<String> uid = pod.uid().filter(any -> cluster.shows(pod));
        if (uid.isEmpty() || (!byUid.containsKey(uid.get()) && byUid.size() >= MAX_PODS)) {
            remove(pod);
            return;
        }
        PendingPod pending =
                byUid.computeIfAbsent(uid.get(), any -> new PendingPod(pod, nanos.getAsLong(), outcome.version()));
        byAge.add(pending);
        pending.refusedOn = outcome.names().slots();
        pending.held = NodeNames.of(cluster.index(), outcome.held()).slots();
        pending.reservingSince = Optional.empty();
        if (outcome.reserved().isEmpty()) {
            pending.refusedAtVersion = Math.max(pending.refusedAtVersion, outcome.version());
        }
        pending.sampled = outcome.notOffered().isPresent();
        pending.awaitsClaims = !cluster.claims().know(pod);
        outcome.notOffered().filter(nodes -> !nodes.isEmpty()).ifPresent(nodes -> {
            pending.schedulableSince = Optional.of(nanos.getAsLong());
            pending.changed.or(NodeNames.of(cluster.index(), nodes).slots());
        });
        pending.changed.or(
                NodeNames.of(cluster.index(), outcome.reserved().keySet()).slots());
        addChanges(pending, cluster.versions().changedSince(outcome.version(), cluster.index()));
    }

    /**
     * Takes a pod that was refused before this process knew of it: by a process before it, or another replica. It has been pending for
     * long enough, and nodes may have changed since. Not a pod whose annotations have become invalid: it fits no node.
     */
    public synchronized void restore(PodFacts pod) {
        if (pod.uid().isEmpty() || byUid.containsKey(pod.uid().get()) || byUid.size() >= MAX_PODS || !isValid(pod)) {
            return;
        }
        PendingPod pending = new PendingPod(pod, nanos.getAsLong() - holdAfter.toNanos(), 0);
        NodeIndex nodes = cluster.index();
        IntStream.range(0, nodes.size()).map(nodes::slot).forEach(pending.refusedOn::set);
        pending.changed.or(pending.refusedOn);
        pending.awaitsClaims = !cluster.claims().know(pod);
        byUid.put(pod.uid().get(), pending);
        byAge.add(pending);
    }

    private static boolean isValid(PodFacts pod) {
        try {
            PodShape.of(pod);
            AlignmentDemand.of(pod);
            return true;
        } catch (IllegalArgumentException invalid) {
            return false;
        }
    }

    /** Runs this once the watch shows a refused pod that it does not show yet. Another one for the same pod replaces it. */
    public synchronized void whenShown(PodFacts pod, Runnable action) {
        unseen.add(pod, action);
    }

    private static void addChanges(PendingPod pending, BitSet changed) {
        BitSet relevant = (BitSet) changed.clone();
        relevant.and(pending.refusedOn);
        pending.changed.or(relevant);
    }

    /** Requests a retry of pods that could run now and that kube-scheduler does not try. Call it each {@link #CHECK_INTERVAL}. */
    public synchronized void checkPending() {
        unseen.check();
        long version = cluster.versions().last();
        BitSet changed =
                byUid.isEmpty() ? new BitSet() : cluster.versions().changedSince(checkedVersion, cluster.index());
        checkedVersion = version;
        long now = nanos.getAsLong();
        List<PendingPod> candidates = new ArrayList<>();
        for (PendingPod each : byAge) {
            endOverdueNomination(each);
            addChanges(each, changed);
            if (each.awaitsClaims && cluster.claims().know(cluster.known(each.pod))) {
                each.awaitsClaims = false;
                each.changed.or(each.refusedOn);
            }
            if (each.requests.mayRequest(now) && !each.changed.isEmpty()) {
                candidates.add(each);
            }
        }
        for (int i = 0; i < Math.min(candidates.size(), PODS_PER_CHECK); i++) {
            check(candidates.get(Math.floorMod(nextToCheck++, candidates.size())), now);
        }
    }

    private void endOverdueNomination(PendingPod pending) {
        if (pending.nominations.isOverdue(nanos.getAsLong())) {
            Optional<String> nominated = cluster.known(pending.pod).priority().nominatedNode();
            if (nominated.isPresent()
                    && !pending.nominations.isOther(nominated.get())
                    && !cluster.hasNamedVictims(pending.pod)) {
                requeuer.requeue(pending.pod, Optional.of(Requeuer.NO_NODE));
            }
            pending.nominations.ended();
        }
    }

    private void check(PendingPod pending, long now) {
        List<String> changed = cluster.index().names(pending.changed);
        PodFacts pod = cluster.known(pending.pod);
        EvaluationBudget budget = cluster.budget(pod, changed.size());
        List<String> admitting = pending.sampled
                ? search.taking(pod, pending.nominations.allowed(changed, this::version, now), ENOUGH_NODES, budget)
                : evaluator.admitting(changed, pod, budget);
        if (admitting.isEmpty() && pending.held.intersects(pending.changed)) {
            tellReason(pending, pod, budget);
        }
        if (!pending.sampled || admitting.isEmpty()) {
            pending.changed.and(NodeNames.of(cluster.index(), admitting).slots());
        }
        Map<String, PendingPod> reserved = reservedForOlder(pending.pod, admitting, Integer.MAX_VALUE, budget);
        begin(reserved.values());
        boolean schedulable = reserved.size() < admitting.size();
        if (!schedulable) {
            pending.schedulableSince = Optional.empty();
        } else if (pending.schedulableSince.isEmpty()) {
            pending.schedulableSince = Optional.of(now);
        } else if (PendingPod.isOver(pending.schedulableSince, pending.waitsBeforeRetry(), now)
                && (!pending.sampled || pending.nominations.mayBegin(now))) {
            List<String> free = admitting.stream()
                    .filter(node -> !reserved.containsKey(node))
                    .toList();
            retry(pending, free, now, budget);
        }
    }

    /** The scheduler says that the pod waits for nodes that are held. Once none of them is, it says why they refuse the pod. */
    private void tellReason(PendingPod pending, PodFacts pod, EvaluationBudget budget) {
        NodeNames nodes = NodeNames.of(cluster.index(), cluster.index().names(pending.held));
        List<Evaluation> evaluations = evaluator.evaluate(nodes, pod, budget);
        List<String> held = IntStream.range(0, nodes.size())
                .filter(place -> evaluations.get(place) instanceof Refused refused
                        && refused.reason().isHold())
                .mapToObj(nodes::get)
                .toList();
        pending.held = NodeNames.of(cluster.index(), held).slots();
        if (pending.held.isEmpty()) {
            requeuer.requeue(pending.pod, Optional.empty());
        }
    }

    private void retry(PendingPod pending, List<String> nodes, long now, EvaluationBudget budget) {
        boolean isRepeated = pending.requests.count() > 0;
        Optional<String> best = isRepeated ? pending.nominations.untried() : nominate(pending, nodes, now, budget);
        if (best.isEmpty() && pending.sampled && !isRepeated) {
            return; // the next sample would hardly have one of these nodes
        }
        pending.requests = pending.requests.requested(now);
        log.debug("event=pod.requeued pod={} nominated_node={}", pending.pod.key(), best.orElse("-"));
        requeuer.requeue(pending.pod, best);
    }

    /** Nobody else gets the place, for a while: not for longer if kube-scheduler does not try the pod. */
    private Optional<String> nominate(PendingPod pending, List<String> nodes, long now, EvaluationBudget budget) {
        boolean isNominated = cluster.nominatedNode(cluster.known(pending.pod))
                .filter(pending.nominations::isOther)
                .isPresent();
        Optional<String> best = !isNominated && pending.nominations.mayBegin(now)
                ? search.taking(pending.pod, pending.nominations.allowed(nodes, this::version, now), 1, budget).stream()
                        .findFirst()
                : Optional.empty();
        best.ifPresent(node -> {
            pending.nominations.nominated(node, now);
            cluster.nominate(pending.pod, node);
        });
        return best;
    }

    /** A request could not be written: it is repeated soon. The pod may be gone. */
    public synchronized void requestFailed(PodFacts pod, Optional<String> node) {
        pod.uid().map(byUid::get).ifPresent(pending -> {
            if (node.equals(Optional.of(Requeuer.NO_NODE))) {
                pending.nominations.notEnded(nanos.getAsLong());
            } else {
                pending.requests = pending.requests.failed(nanos.getAsLong());
            }
        });
    }

    /**
     * Whether a pod that fits no node of kube-scheduler's sample is about to be nominated for another one: nobody has to be evicted for it.
     */
    public synchronized boolean isToBeNominated(PodFacts pod) {
        return pod.uid()
                .map(byUid::get)
                .filter(pending ->
                        pending.sampled && pending.schedulableSince.isPresent() && !pending.nominations.wereRefused())
                .filter(pending -> {
                    List<String> changed = cluster.index().names(pending.changed);
                    EvaluationBudget budget = cluster.budget(pending.pod, changed.size());
                    return !search.taking(pending.pod, changed, 1, budget).isEmpty();
                })
                .isPresent();
    }

    /** The pods that have been pending for as long as others wait for them, the oldest first. */
    public synchronized List<PodFacts> waiting() {
        long now = nanos.getAsLong();
        return byAge.stream()
                .filter(each -> now - each.since >= holdAfter.toNanos() && each.schedulableSince.isEmpty())
                .map(each -> each.pod)
                .toList();
    }

    /** Removes a pod that is bound or deleted. */
    public synchronized void remove(PodFacts pod) {
        pod.uid().map(byUid::remove).ifPresent(byAge::remove);
    }

    /** The number of pending pods. */
    public synchronized int size() {
        return byUid.size();
    }
}
