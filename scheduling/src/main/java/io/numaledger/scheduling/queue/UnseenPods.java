package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Refused pods that the watch does not show yet, because that of kube-scheduler is ahead, and what is to be done once it does. The queue's
 * lock guards it.
 */
final class UnseenPods {

    /** Watches are not later than that: nobody but the caller knows the pod. */
    static final Duration LIMIT = Duration.ofMinutes(1);

    private static final int MAX_PODS = 100;

    private final ClusterState cluster;
    private final LongSupplier nanos;

    /** UID → what is to be done. */
    private final Map<String, Unseen> pods = new HashMap<>();

    private record Unseen(PodFacts pod, long since, Runnable action) {}

    UnseenPods(ClusterState cluster, LongSupplier nanos) {
        this.cluster = cluster;
        this.nanos = nanos;
    }

    void add(PodFacts pod, Runnable action) {
        pod.uid()
                .filter(uid -> pods.size() < MAX_PODS || pods.containsKey(uid))
                .ifPresent(uid -> pods.put(uid, new Unseen(pod, nanos.getAsLong(), action)));
    }

    /** Takes what is to be done for the pods that the watch shows now. */
    List<Runnable> takeShown() {
        if (pods.isEmpty()) {
            return List.of();
        }
        List<Unseen> shown = pods.values().stream()
                .filter(each -> cluster.pods().shows(each.pod()))
                .toList();
        long now = nanos.getAsLong();
        pods.values().removeIf(each -> now - each.since() >= LIMIT.toNanos());
        pods.values().removeAll(shown);
        return shown.stream().map(Unseen::action).toList();
    }
}
