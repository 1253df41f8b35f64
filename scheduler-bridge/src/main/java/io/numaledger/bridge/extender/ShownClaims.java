package io.numaledger.bridge.extender;

import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Duration;
import java.util.Optional;

/**
 * The claims of a pod for which {@code filter} is called and that requires alignment. kube-scheduler may have seen them a moment before the
 * watch shows them. While they are not shown, every node refuses the pod.
 */
final class ShownClaims {

    /** Watches are mostly not later than that, and kube-scheduler waits. */
    static final Duration TIMEOUT = Duration.ofMillis(100);

    private final ClusterState cluster;
    private final Duration timeout;

    ShownClaims(ClusterState cluster, Duration timeout) {
        this.cluster = cluster;
        this.timeout = timeout;
    }

    /** Waits for them, but not for longer than the timeout. */
    void await(PodFacts asked) {
        if (asked.claims().isEmpty() || !requiresAlignment(cluster.pods().known(asked))) {
            return;
        }
        try {
            var unused = cluster.changes()
                    .await(() -> cluster.claims().know(cluster.pods().known(asked)), timeout);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean requiresAlignment(PodFacts pod) {
        try {
            return AlignmentDemand.of(pod).equals(Optional.of(AlignmentDemand.REQUIRED));
        } catch (IllegalArgumentException invalid) {
            return false; // filter says so
        }
    }
}
