package io.numaledger.simulator.demo;

import io.numaledger.placement.Amounts;

import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** A scheduler that knows no zones: of the nodes whose free resources hold the pod, it picks the one with the most free CPU. */
final class LeastAllocatedScheduler {

    private final Map<String, TreeMap<String, Long>> free = new TreeMap<>();

    void node(String name, Amounts allocatable) {
        free.put(name, new TreeMap<>(allocatable.byResource()));
    }

    /** The node for a pod, which is charged with the request; empty if the pod fits no node. */
    Optional<String> pick(Amounts request) {
        Optional<String> node = free.keySet().stream()
                .filter(name -> fits(name, request))
                .max(Comparator.<String>comparingLong(
                                name -> requireNonNull(free.get(name)).getOrDefault(Amounts.CPU, 0L))
                        .thenComparing(Comparator.reverseOrder()));
        node.ifPresent(name -> request.byResource()
                .forEach((resource, amount) -> requireNonNull(free.get(name)).merge(resource, -amount, Long::sum)));
        return node;
    }

    /** Releases the request of a pod that the kubelet refused. */
    void refused(String node, Amounts request) {
        request.byResource()
                .forEach((resource, amount) -> requireNonNull(free.get(node)).merge(resource, amount, Long::sum));
    }

    private boolean fits(String name, Amounts request) {
        return request.byResource().entrySet().stream()
                .allMatch(need -> requireNonNull(free.get(name)).getOrDefault(need.getKey(), 0L) >= need.getValue());
    }
}
