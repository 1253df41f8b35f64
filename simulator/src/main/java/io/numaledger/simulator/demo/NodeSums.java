package io.numaledger.simulator.demo;

import io.numaledger.placement.Amounts;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Picks nodes as a scheduler does that sees each node as one sum: where it fits, the one with the most CPU left. */
final class NodeSums {

    private final Map<String, TreeMap<String, Long>> free = new TreeMap<>();

    void node(String name, Amounts allocatable) {
        free.put(name, new TreeMap<>(allocatable.byResource()));
    }

    /** The node for a pod, charged with it; empty if it fits none. */
    Optional<String> pick(Amounts request) {
        Optional<String> node = free.keySet().stream()
                .filter(name -> fits(name, request))
                .max(Comparator.<String>comparingLong(name -> free.get(name).getOrDefault(Amounts.CPU, 0L))
                        .thenComparing(Comparator.reverseOrder()));
        node.ifPresent(name -> request.byResource()
                .forEach((resource, amount) -> free.get(name).merge(resource, -amount, Long::sum)));
        return node;
    }

    /** What a refused pod was charged is free again. */
    void refused(String node, Amounts request) {
        request.byResource().forEach((resource, amount) -> free.get(node).merge(resource, amount, Long::sum));
    }

    private boolean fits(String name, Amounts request) {
        return request.byResource().entrySet().stream()
                .allMatch(need -> free.get(name).getOrDefault(need.getKey(), 0L) >= need.getValue());
    }

    List<String> nodes() {
        return List.copyOf(free.keySet());
    }
}
