package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Decides when kube-scheduler should retry a pending pod, and for which node the pod is nominated then. The queue's lock guards it; nodes are
 * evaluated between {@link #check} and {@link #apply}, without the lock.
 */
final class PendingRetries {

    private static final Logger log = LoggerFactory.getLogger(PendingRetries.class);

    private final ClusterState cluster;
    private final QueuedPods queued;
    private final LongSupplier nanos;
    private long checkedVersion;

    /**
     * What to ask kube-scheduler for.
     *
     * @param node as for {@link Requeuer#requeue}
     */
    record Request(PodFacts pod, Optional<String> node) {}

    PendingRetries(ClusterState cluster, QueuedPods queued, LongSupplier nanos) {
        this.cluster = cluster;
        this.queued = queued;
        this.nanos = nanos;
    }

    /** The pods that may run on a node that has changed. */
    List<PendingPod> changed(long now) {
        long version = cluster.versions().last();
        BitSet changed =
                queued.size() == 0 ? new BitSet() : cluster.versions().changedSince(checkedVersion, cluster.index());
        checkedVersion = version;
        List<PendingPod> pods = new ArrayList<>();
        queued.oldestFirst().forEach(each -> {
            each.addChanges(changed);
            if (each.awaitsClaims && cluster.claims().know(cluster.pods().known(each.pod()))) {
                each.awaitsClaims = false;
                each.changed.or(each.refusedOn);
            }
            if (each.requests.mayRequest(now) && !each.changed.isEmpty()) {
                pods.add(each.pending());
            }
        });
        return pods;
    }

    /** Ends nominations that have lasted for too long. */
    List<Request> endOverdueNominations() {
        List<Request> requests = new ArrayList<>();
        queued.oldestFirst()
                .filter(each -> each.nominations.isOverdue(nanos.getAsLong()))
                .forEach(pending -> {
                    Optional<String> nominated =
                            cluster.pods().known(pending.pod()).priority().nominatedNode();
                    if (nominated.isPresent()
                            && !pending.nominations.isOther(nominated.get())
                            && !cluster.nominated().hasNamedVictims(pending.pod())) {
                        requests.add(new Request(pending.pod(), Optional.of(Requeuer.NO_NODE)));
                    }
                    pending.nominations.ended();
                });
        return requests;
    }

    /** A copy of what is known of a pod; absent if the pod has left the queue. */
    Optional<PendingCheck> check(PendingPod changed, long now) {
        return queued.find(changed).map(pending -> {
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
    Optional<Request> apply(PendingCheck check, PendingCheck.Result result, long now) {
        return queued.find(check.pending())
                .filter(pending -> pending.calls() == check.calls())
                .flatMap(pending -> {
                    if (!check.sampled() || result.admitting().isEmpty()) {
                        pending.changed.and(slots(result.admitting()));
                    }
                    reserve(result.reserved().values());
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

    /** Nodes are reserved for these pods from now on, if they have not been. */
    void reserve(Collection<PendingPod> older) {
        older.stream()
                .flatMap(each -> queued.find(each).stream())
                .forEach(each -> each.reservingSince = each.reservingSince.or(() -> Optional.of(nanos.getAsLong())));
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
    void requestFailed(PodFacts pod, Optional<String> node) {
        queued.find(pod).ifPresent(pending -> {
            if (node.equals(Optional.of(Requeuer.NO_NODE))) {
                pending.nominations.notEnded(nanos.getAsLong());
            } else {
                pending.requests = pending.requests.failed(nanos.getAsLong());
            }
        });
    }

    /** Ends the nomination of a pod whose nominated node does not take the pod. kube-scheduler ends the nomination itself, mostly. */
    void tried(QueuedPod known, FilterOutcome outcome) {
        known.nominations.refusing(outcome).ifPresent(node -> {
            cluster.endNomination(known.pod(), node);
            known.nominations.refused(!outcome.isForNominatedNode(), version(node), nanos.getAsLong());
        });
        known.tried();
    }

    private long version(String node) {
        return cluster.index().slot(node).stream()
                .mapToLong(cluster.versions()::get)
                .findAny()
                .orElse(0);
    }
}
