package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PodShape;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.batch.ClusterSearch;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import io.numaledger.scheduling.state.NodeNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
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
    private static final int MAX_PODS = 1_000;
    private static final int PODS_PER_CHECK = 20;

    /** How often pods are checked. */
    public static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final Duration holdAfter;
    private final LongSupplier nanos;
    private final Requeuer requeuer;
    private final ClusterSearch search;

    /** The lock guards changes; {@link #size} reads it without. */
    private final Map<String, QueuedPod> byUid = new ConcurrentHashMap<>();

    private final UnseenPods unseen;
    private final NavigableSet<QueuedPod> byAge = new TreeSet<>(QueuedPod.OLDEST_FIRST);
    private RefusingNodes refusing = new RefusingNodes();
    private long checkedVersion;
    private int nextToCheck;

    /** Held during a check, which evaluates nodes: only checks take this lock. The queue's lock may be taken while it is held. */
    private final Object checking = new Object();

    private record Request(PodFacts pod, Optional<String> node) {}

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
        return byAge.stream()
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
    private void endNomination(QueuedPod pending, String node, FilterOutcome outcome) {
        cluster.endNomination(pending.pod(), node);
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
        reserving.stream()
                .flatMap(each -> queued(each).stream())
                .forEach(older -> older.reservingSince = older.reservingSince.or(() -> Optional.of(nanos.getAsLong())));
    }

    /** The entry of a pod; absent if the pod has left the queue. */
    private Optional<QueuedPod> queued(PendingPod pending) {
        return pending.pod.uid().map(byUid::get).filter(each -> each.pending().equals(pending));
    }

    private void refused(FilterOutcome outcome) {
        PodFacts pod = outcome.pod();
        Optional<String> uid = pod.uid().filter(any -> cluster.pods().shows(pod));
        if (uid.isEmpty() || (!byUid.containsKey(uid.get()) && !hasRoom(pod))) {
            remove(pod);
            return;
        }
        QueuedPod pending = byUid.computeIfAbsent(
                uid.get(), any -> new QueuedPod(new PendingPod(pod, nanos.getAsLong(), outcome.version())));
        byAge.add(pending);
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
        if (pod.uid().isEmpty() || byUid.containsKey(pod.uid().get()) || !isValid(pod) || !hasRoom(pod)) {
            return;
        }
        QueuedPod pending = new QueuedPod(new PendingPod(pod, nanos.getAsLong() - holdAfter.toNanos(), 0));
        NodeIndex nodes = cluster.index();
        IntStream.range(0, nodes.size()).map(nodes::slot).forEach(pending.refusedOn::set);
        pending.changed.or(pending.refusedOn);
        pending.awaitsClaims = !cluster.claims().know(pod);
        byUid.put(pod.uid().get(), pending);
        byAge.add(pending);
    }

    /** In a full queue, a pod takes the place of the youngest one of the namespace that has the most, so that no namespace keeps others out. */
    private boolean hasRoom(PodFacts pod) {
        if (byUid.size() < MAX_PODS) {
            return true;
        }
        Map<String, Long> counts =
                byAge.stream().collect(Collectors.groupingBy(each -> each.pod().namespace(), Collectors.counting()));
        long most = Collections.max(counts.values());
        if (most <= counts.getOrDefault(pod.namespace(), 0L) + 1) {
            return false;
        }
        byAge.descendingSet().stream()
                .map(QueuedPod::pod)
                .filter(each -> counts.getOrDefault(each.namespace(), 0L) == most)
                .findFirst()
                .ifPresent(this::remove);
        return true;
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

    /**
     * Requests a retry of pods that could run now and that kube-scheduler does not try. Call it each {@link #CHECK_INTERVAL}. A second call
     * waits until the first one has ended.
     */
    public void checkPending() {
        synchronized (checking) {
            takeShown().forEach(Runnable::run);
            long now = nanos.getAsLong();
            List<Request> overdue = new ArrayList<>();
            List<PendingPod> candidates = candidates(now, overdue);
            overdue.forEach(this::send);
            for (int i = 0; i < Math.min(candidates.size(), PODS_PER_CHECK); i++) {
                check(candidates.get(Math.floorMod(nextToCheck++, candidates.size())), now);
            }
        }
    }

    private synchronized List<Runnable> takeShown() {
        return unseen.takeShown();
    }

    /** @param requests gets those for pods whose nomination has lasted for too long */
    private synchronized List<PendingPod> candidates(long now, List<Request> requests) {
        long version = cluster.versions().last();
        BitSet changed =
                byUid.isEmpty() ? new BitSet() : cluster.versions().changedSince(checkedVersion, cluster.index());
        checkedVersion = version;
        List<PendingPod> candidates = new ArrayList<>();
        for (QueuedPod each : byAge) {
            endOverdueNomination(each, requests);
            each.addChanges(changed);
            if (each.awaitsClaims && cluster.claims().know(cluster.pods().known(each.pod()))) {
                each.awaitsClaims = false;
                each.changed.or(each.refusedOn);
            }
            if (each.requests.mayRequest(now) && !each.changed.isEmpty()) {
                candidates.add(each.pending());
            }
        }
        return candidates;
    }

    private void endOverdueNomination(QueuedPod pending, List<Request> requests) {
        if (pending.nominations.isOverdue(nanos.getAsLong())) {
            Optional<String> nominated =
                    cluster.pods().known(pending.pod()).priority().nominatedNode();
            if (nominated.isPresent()
                    && !pending.nominations.isOther(nominated.get())
                    && !cluster.nominated().hasNamedVictims(pending.pod())) {
                requests.add(new Request(pending.pod(), Optional.of(Requeuer.NO_NODE)));
            }
            pending.nominations.ended();
        }
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

    /** A copy of what is known of a pod; absent if the pod has left the queue. */
    private synchronized Optional<PendingCheck> copied(PendingPod candidate, long now) {
        return queued(candidate).map(pending -> {
            PodFacts pod = cluster.pods().known(pending.pod());
            return new PendingCheck(
                    pending.pending(),
                    pending.calls(),
                    pod,
                    (BitSet) pending.changed.clone(),
                    pending.held,
                    pending.sampled,
                    pending.nominations.refused(this::version, now),
                    pending.requests.count() == 0
                            && pending.isRetryDue(now)
                            && pending.nominations.mayBegin(now)
                            && cluster.nominated()
                                    .nodeOf(pod)
                                    .filter(pending.nominations::isOther)
                                    .isEmpty());
        });
    }

    /** Returns what to ask kube-scheduler for. */
    private synchronized Optional<Request> apply(PendingCheck check, PendingCheck.Result result, long now) {
        return queued(check.pending())
                .filter(pending -> pending.calls() == check.calls())
                .flatMap(pending -> {
                    if (!check.sampled() || result.admitting().isEmpty()) {
                        pending.changed.and(slots(result.admitting()));
                    }
                    begin(result.reserved().values());
                    if (!result.isSchedulable()) {
                        pending.schedulableSince = Optional.empty();
                    } else if (pending.schedulableSince.isEmpty()) {
                        pending.schedulableSince = Optional.of(now);
                    } else if (pending.isRetryDue(now)) {
                        return retry(pending, result.best(), now);
                    }
                    return result.held().flatMap(held -> tellReason(pending, held));
                });
    }

    private BitSet slots(Collection<String> nodes) {
        return NodeNames.of(cluster.index(), nodes).slots();
    }

    /** The scheduler says that the pod waits for nodes that are held. Once none of them is, it says why they refuse the pod. */
    private Optional<Request> tellReason(QueuedPod pending, List<String> held) {
        pending.held = slots(held);
        return held.isEmpty() ? Optional.of(new Request(pending.pod(), Optional.empty())) : Optional.empty();
    }

    /** @param best for which the pod is nominated: nobody else gets the place, for a while, not for longer if the pod is not tried */
    private Optional<Request> retry(QueuedPod pending, Optional<String> best, long now) {
        boolean isRepeated = pending.requests.count() > 0;
        if (best.isEmpty() && pending.sampled && !isRepeated) {
            return Optional.empty(); // the next sample would hardly have one of these nodes
        }
        best.ifPresent(node -> {
            pending.nominations.nominated(node, now);
            cluster.nominated().nominate(pending.pod(), node);
        });
        pending.requests = pending.requests.requested(now);
        Optional<String> node = isRepeated ? pending.nominations.untried() : best;
        log.debug("event=pod.requeued pod={} nominated_node={}", pending.pod().key(), node.orElse("-"));
        return Optional.of(new Request(pending.pod(), node));
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
        return pod.uid()
                .map(byUid::get)
                .filter(pending ->
                        pending.sampled && pending.schedulableSince.isPresent() && !pending.nominations.wereRefused())
                .map(pending -> new Sampled(pending.pod(), cluster.index().names(pending.changed)));
    }

    /** The pods that have been pending for as long as others wait for them, the oldest first. */
    public synchronized List<PodFacts> waiting() {
        long now = nanos.getAsLong();
        return byAge.stream()
                .filter(each -> now - each.pending().since >= holdAfter.toNanos() && each.schedulableSince.isEmpty())
                .map(QueuedPod::pod)
                .toList();
    }

    /** Removes a pod that is bound or deleted. */
    public synchronized void remove(PodFacts pod) {
        pod.uid().map(byUid::remove).ifPresent(byAge::remove);
    }

    /** The number of pending pods. Takes no lock. */
    public int size() {
        return byUid.size();
    }
}
