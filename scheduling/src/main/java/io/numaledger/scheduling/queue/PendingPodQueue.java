package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.SchedulingRequest;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.batch.ClusterSearch;
import io.numaledger.scheduling.queue.PendingRetries.Request;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import io.numaledger.scheduling.state.NodeNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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
 *
 * <p><b>Threads.</b> Any thread may call any method. Every {@code filter} call takes the queue's lock: no node is evaluated under it, and
 * nothing is called that waits. What an evaluation reads of pending pods is copied under the lock, as {@link PendingPod} and
 * {@link PendingCheck}; its result is applied if the pod has not been tried or removed meanwhile.
 */
public final class PendingPodQueue {

    /** kube-scheduler retries a pod after 10 seconds at the latest (its default podMaxBackoffSeconds), if it retries it at all. */
    static final Duration MAX_RESERVATION = Duration.ofSeconds(10);

    /** How long a pod could run before a retry is requested; mostly kube-scheduler tries the pod by itself. */
    static final Duration REQUEUE_AFTER = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(PendingPodQueue.class);
    private static final int PODS_PER_CHECK = 20;

    /** How often pods are checked. */
    public static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final Duration holdAfter;
    private final LongSupplier nanos;
    private final Requeuer requeuer;
    private final ClusterSearch search;

    private final QueuedPods queued = new QueuedPods();
    private final PendingRetries retries;
    private final UnseenPods unseen;
    private RefusingNodes refusing = new RefusingNodes();
    private int nextToCheck;

    /** Held during a check, which evaluates nodes: only checks take this lock. The queue's lock may be taken while it is held. */
    private final Object checking = new Object();

    /** @param others nodes that are not in kube-scheduler's sample and may take the pod */
    private record Sampled(PodFacts pod, List<String> others) {}

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
        this.retries = new PendingRetries(cluster, queued, nanos);
        this.unseen = new UnseenPods(cluster, nanos);
    }

    /**
     * Tells which nodes that admit a pod are reserved for older ones, for a caller that only asks: nothing that {@code filter} relies on is
     * changed, and each node has a budget of its own. For one thread.
     */
    public Predicate<String> reservedForOlder(PodFacts pod) {
        List<PendingPod> before = pod.node().isPresent() ? List.of() : older(pod);
        RefusingNodes found = new RefusingNodes();
        return node -> !before.isEmpty() && isReserved(node, pod, before, found);
    }

    private boolean isReserved(String node, PodFacts pod, List<PendingPod> before, RefusingNodes found) {
        EvaluationBudget budget =
                EvaluationBudget.ofCall(pod, 1, cluster.costlyPods().unchanged());
        OlderPods older = new OlderPods(cluster, evaluator, pod, before, found, budget);
        boolean reserved = older.reservedFor(NodeNames.of(cluster.index(), List.of(node)), 0)
                .isPresent();
        older.finish();
        return reserved;
    }

    /** Which of the admitting nodes are reserved for an older pod, and for which one. Looks at the nodes in the order of the list. */
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
    public Map<String, PendingPod> reservedForOlder(
            PodFacts pod, NodeNames names, Supplier<int[]> admitting, int enough, EvaluationBudget budget) {
        List<PendingPod> before = older(pod);
        if (before.isEmpty()) {
            return Map.of();
        }
        OlderPods older = new OlderPods(cluster, evaluator, pod, before, refusing(before), budget);
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

    private synchronized RefusingNodes refusing(List<PendingPod> pods) {
        refusing = refusing.of(pods);
        return refusing;
    }

    private synchronized List<PendingPod> older(PodFacts pod) {
        if (holdAfter.isZero()) {
            return List.of();
        }
        long now = nanos.getAsLong();
        return queued.oldestFirst()
                .takeWhile(each -> PodFacts.BY_AGE.compare(each.pod(), pod) < 0)
                .filter(each -> now - each.pending().since >= holdAfter.toNanos()
                        && !QueuedPod.isOver(each.reservingSince, MAX_RESERVATION, now)
                        && each.pod().priority().value() >= pod.priority().value()
                        && each.pod().constraints().allow(pod.constraints()))
                .map(QueuedPod::pending)
                .toList();
    }

    /**
     * Records a filter call: when nodes were first reserved for older pods, and whether the pod is pending now. A pod that the
     * watch does not show is not kept, because no event would remove it: see {@link #whenShown}.
     */
    public synchronized void record(FilterOutcome outcome) {
        PodFacts pod = outcome.pod();
        queued.find(pod).ifPresent(known -> retries.tried(known, outcome));
        retries.reserve(outcome.reserved().values());
        outcome.reserved()
                .forEach((node, older) ->
                        log.debug("event=node.reserved node={} pod={} from={}", node, older.pod.key(), pod.key()));
        if (!outcome.admitted()) {
            refused(outcome);
        }
    }

    private void refused(FilterOutcome outcome) {
        PodFacts pod = outcome.pod();
        Optional<QueuedPod> known = queued.find(pod);
        if (pod.uid().isEmpty() || !cluster.pods().shows(pod) || (known.isEmpty() && !queued.makeRoom(pod))) {
            remove(pod);
            return;
        }
        QueuedPod pending =
                known.orElseGet(() -> queued.add(new PendingPod(pod, nanos.getAsLong(), outcome.version())));
        pending.refusedOn = outcome.names().slots();
        pending.held = NodeNames.of(cluster.index(), outcome.held()).slots();
        pending.reservingSince = Optional.empty();
        if (outcome.reserved().isEmpty()) {
            pending.refused(outcome.version());
        }
        pending.sampled = outcome.notOffered().isPresent();
        pending.awaitsClaims = !cluster.claims().know(pod);
        outcome.notOffered().filter(nodes -> !nodes.isEmpty()).ifPresent(nodes -> {
            pending.schedulableSince = Optional.of(nanos.getAsLong());
            pending.changed.or(NodeNames.of(cluster.index(), nodes).slots());
        });
        pending.changed.or(
                NodeNames.of(cluster.index(), outcome.reserved().keySet()).slots());
        pending.addChanges(cluster.versions().changedSince(outcome.version(), cluster.index()));
    }

    /**
     * Takes a pod that was refused before this process knew of it: by a process before it, or another replica. It has been pending for
     * long enough, and nodes may have changed since. Not a pod whose annotations have become invalid: it fits no node.
     */
    public synchronized void restore(PodFacts pod) {
        if (pod.uid().isEmpty() || queued.find(pod).isPresent() || !isValid(pod) || !queued.makeRoom(pod)) {
            return;
        }
        QueuedPod pending = queued.add(new PendingPod(pod, nanos.getAsLong() - holdAfter.toNanos(), 0));
        NodeIndex nodes = cluster.index();
        IntStream.range(0, nodes.size()).map(nodes::slot).forEach(pending.refusedOn::set);
        pending.changed.or(pending.refusedOn);
        pending.awaitsClaims = !cluster.claims().know(pod);
    }

    private static boolean isValid(PodFacts pod) {
        try {
            SchedulingRequest.of(pod);
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

    /**
     * Requests a retry of pods that could run now and that kube-scheduler does not try. Call it each {@link #CHECK_INTERVAL}. A second call
     * waits until the first one has ended.
     */
    public void checkPending() {
        synchronized (checking) {
            takeShown().forEach(Runnable::run);
            long now = nanos.getAsLong();
            List<Request> overdue = new ArrayList<>();
            List<PendingPod> pods = changed(now, overdue);
            overdue.forEach(this::send);
            for (int i = 0; i < Math.min(pods.size(), PODS_PER_CHECK); i++) {
                check(pods.get(Math.floorMod(nextToCheck++, pods.size())), now);
            }
        }
    }

    private synchronized List<Runnable> takeShown() {
        return unseen.takeShown();
    }

    private synchronized List<PendingPod> changed(long now, List<Request> overdue) {
        overdue.addAll(retries.endOverdueNominations());
        return retries.changed(now);
    }

    private void send(Request request) {
        requeuer.requeue(request.pod(), request.node());
    }

    private void check(PendingPod pending, long now) {
        copied(pending, now)
                .flatMap(check -> apply(
                        check,
                        check.run(
                                cluster,
                                evaluator,
                                search,
                                (pod, admitting, budget) ->
                                        reservedForOlder(pod, admitting, Integer.MAX_VALUE, budget)),
                        now))
                .ifPresent(this::send);
    }

    private synchronized Optional<PendingCheck> copied(PendingPod pending, long now) {
        return retries.check(pending, now);
    }

    private synchronized Optional<Request> apply(PendingCheck check, PendingCheck.Result result, long now) {
        return retries.apply(check, result, now);
    }

    /** A request could not be written: it is repeated soon. The pod may be gone. */
    public synchronized void requestFailed(PodFacts pod, Optional<String> node) {
        retries.requestFailed(pod, node);
    }

    /**
     * Whether a pod that fits no node of kube-scheduler's sample is about to be nominated for another one: nobody has to be evicted for it.
     */
    public boolean isToBeNominated(PodFacts pod) {
        return sampled(pod)
                .filter(pending -> {
                    EvaluationBudget budget =
                            cluster.budget(pending.pod(), pending.others().size());
                    return !search.taking(pending.pod(), pending.others(), 1, budget)
                            .isEmpty();
                })
                .isPresent();
    }

    /** The pod with its changed nodes; absent if the pod is not to be nominated for a node outside kube-scheduler's sample. */
    private synchronized Optional<Sampled> sampled(PodFacts pod) {
        return queued.find(pod)
                .filter(pending ->
                        pending.sampled && pending.schedulableSince.isPresent() && !pending.nominations.wereRefused())
                .map(pending -> new Sampled(pending.pod(), cluster.index().names(pending.changed)));
    }

    /** The pods that have been pending for as long as others wait for them, the oldest first. */
    public synchronized List<PodFacts> waiting() {
        long now = nanos.getAsLong();
        return queued.oldestFirst()
                .filter(each -> now - each.pending().since >= holdAfter.toNanos() && each.schedulableSince.isEmpty())
                .map(QueuedPod::pod)
                .toList();
    }

    /** Removes a pod that is bound or deleted. */
    public synchronized void remove(PodFacts pod) {
        queued.remove(pod);
    }

    /** The number of pending pods. Takes no lock. */
    public int size() {
        return queued.size();
    }
}
