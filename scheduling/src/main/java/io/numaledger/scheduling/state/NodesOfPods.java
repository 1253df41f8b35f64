package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * On which nodes pods are reserved, or were, beside the node where the watch shows them: when such a pod is deleted, no other node is looked
 * at. Thread-safe.
 */
final class NodesOfPods {

    private record Instance(String key, Optional<String> uid) {

        private static Instance of(PodFacts pod) {
            return new Instance(pod.key(), pod.uid());
        }
    }

    private final Map<Instance, Set<String>> nodes = new ConcurrentHashMap<>();

    void add(PodFacts pod, String node) {
        nodes.compute(Instance.of(pod), (any, known) -> {
            Set<String> names = known == null ? ConcurrentHashMap.newKeySet(1) : known;
            names.add(node);
            return names;
        });
    }

    /** The watch shows the pod on this node. */
    void bound(PodFacts pod, String node) {
        nodes.computeIfPresent(Instance.of(pod), (any, names) -> {
            names.remove(node);
            return names.isEmpty() ? null : names;
        });
    }

    /** Takes the nodes of a deleted pod. */
    Set<String> take(PodFacts pod) {
        return Optional.ofNullable(nodes.remove(Instance.of(pod))).orElse(Set.of());
    }

    boolean isEmpty() {
        return nodes.isEmpty();
    }
}
