package io.numaledger.bridge.extender;

import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.CandidateSnapshots;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeUse;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Whether a pod has a place where others have ended for it already: then nobody else may end. kube-scheduler waits only while it sees that
 * victims terminate on the node for which the pod is nominated. It ends a nomination if it cannot bind the pod there, and the zones of victims
 * may become free after the API server has deleted them, or between its calls of {@code filter} and {@code preempt}. Thread-safe.
 */
final class EarlierVictims {

    /** If the pod fits and is not bound, kube-scheduler has another reason against the node. It retries a pod within 10 seconds. */
    static final Duration LONGEST_RETRY = Duration.ofSeconds(10);

    private static final Duration FORGOTTEN = Duration.ofMinutes(1);

    private final ClusterState cluster;
    private final LongSupplier nanos;

    /** UID of a pod → since when it could run where others have ended for it. */
    private final Map<String, Long> fitsSince = new ConcurrentHashMap<>();

    /** @param nanos a clock that does not jump */
    EarlierVictims(ClusterState cluster, LongSupplier nanos) {
        this.cluster = cluster;
        this.nanos = nanos;
    }

    /** @param fitsAfterReleases whether a pod fits a node, by zones and as a whole, when those that are terminating have ended */
    boolean suffice(PodFacts pod, Predicate<NodeUse> fitsAfterReleases) {
        if (cluster.awaitsNamedVictims(pod)) {
            return true;
        }
        Optional<NodeUse> node = cluster.nominatedNode(pod).flatMap(cluster::use);
        if (node.isEmpty()) {
            return false;
        }
        if (fitsAfterReleases.test(node.get())) {
            return !node.get().now().admits(pod) || isTriedSoon(pod);
        }
        return mayFit(node.get().snapshots(), pod) && isTriedSoon(pod);
    }

    /** It is open where the kubelet placed pods in flight, and the pod fits in one of these states. */
    private static boolean mayFit(CandidateSnapshots node, PodFacts pod) {
        return !node.others().isEmpty()
                && node.snapshots().anyMatch(state -> FullModel.admits(state, state.afterReleases(), pod));
    }

    private boolean isTriedSoon(PodFacts pod) {
        long now = nanos.getAsLong();
        fitsSince.values().removeIf(since -> now - since >= FORGOTTEN.toNanos());
        long since = fitsSince.computeIfAbsent(pod.uid().orElse(pod.key()), any -> now);
        return now - since < LONGEST_RETRY.toNanos();
    }
}
