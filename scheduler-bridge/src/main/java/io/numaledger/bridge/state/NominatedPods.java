package io.numaledger.bridge.state;

import io.numaledger.bridge.objects.PodFacts;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Pods that are not bound yet and for which others are evicted on a node. Usually there are none, and never many. Thread-safe. */
final class NominatedPods {

    private final Map<String, PodFacts> pods = new ConcurrentHashMap<>();

    void put(PodFacts pod) {
        boolean waits = pod.node().isEmpty() && !pod.ended() && !pod.terminating();
        if (waits && pod.priority().nominatedNode().isPresent()) {
            pods.put(pod.key(), pod);
        } else {
            pods.remove(pod.key());
        }
    }

    void remove(String podKey) {
        pods.remove(podKey);
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
