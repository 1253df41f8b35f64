package io.numaledger.evaluation.facts;

import java.util.Optional;

/**
 * How many pods of a set may be evicted (PodDisruptionBudget, policy/v1).
 *
 * @param selector absent: it selects no pod
 * @param allowed evictions
 */
public record DisruptionBudget(String namespace, String name, Optional<LabelSelector> selector, int allowed) {

    /** Whether the pod is one of the set. An empty selector selects all pods of the namespace. */
    public boolean selects(PodFacts pod) {
        return namespace.equals(pod.namespace())
                && selector.filter(each -> each.matches(pod.labels())).isPresent();
    }
}
