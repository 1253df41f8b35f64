package io.numaledger.evaluation.facts;

import java.util.Optional;

/**
 * How a pod stands against others that want the same resources.
 *
 * @param value of its PriorityClass: the higher, the more important
 * @param preempts whether pods of lower priority may be evicted for it (preemptionPolicy)
 * @param nominatedNode where kube-scheduler tries it first: pods are evicted there for it, or the bridge has found room; absent: nowhere
 */
public record PodPriority(int value, boolean preempts, Optional<String> nominatedNode) {

    /** The priority of a pod without a PriorityClass. */
    public static final PodPriority DEFAULT = new PodPriority(0, true, Optional.empty());

    PodPriority nominatedFor(String node) {
        return new PodPriority(value, preempts, Optional.of(node));
    }
}
