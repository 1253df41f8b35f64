package io.numaledger.bridge.state;

import io.numaledger.bridge.objects.PodFacts;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Pods that are not bound yet and for which others are evicted on a node. Usually there are none, and never many. Thread-safe. */
final class NominatedPods {

    private final Map<String, PodFacts> pods = new ConcurrentHashMap<>();

    /** Returns the node for which the pod is nominated no more. */
    Optional<String> put(PodFacts pod) {
        Optional<String> node = pod.priority().nominatedNode();
        if (node.isEmpty() || pod.node().isPresent() || pod.ended() || pod.terminating()) {
            return remove(pod.key());
        }
        return Optional.ofNullable(pods.put(pod.key(), pod))
                .flatMap(before -> before.priority().nominatedNode())
                .filter(before -> !node.equals(Optional.of(before)));
    }

    /** The same for a deleted pod. */
    Optional<String> remove(String podKey) {
        return Optional.ofNullable(pods.remove(podKey))
                .flatMap(before -> before.priority().nominatedNode());
    }

    boolean isEmpty() {
        return pods.isEmpty();
    }

    /** Those that are nominated for the node and at least as important as a pod, which is none of them. The oldest first. */
    List<PodFacts> before(PodFacts pod, String node) {
        if (pods.isEmpty()) {
            return List.of();
        }
        return pods.values().stream()
                .filter(each ->
                        each.priority().nominatedNode().filter(node::equals).isPresent()
                                && each.priority().value() >= pod.priority().value()
                                && !each.key().equals(pod.key()))
                .sorted(PodFacts.BY_AGE)
                .toList();
    }
}
