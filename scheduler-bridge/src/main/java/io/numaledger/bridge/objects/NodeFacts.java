package io.numaledger.bridge.objects;

import io.numaledger.pod.PodRequest;

import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What matters of a Node object.
 *
 * @param kubeletVersion such as {@code v1.36.3}; absent until the kubelet has reported it
 * @param capacity extended resources: all devices, unhealthy ones included, in counts
 * @param allocatable extended resources: the healthy devices, in counts
 */
public record NodeFacts(
        String name,
        Optional<String> kubeletVersion,
        SortedMap<String, Long> capacity,
        SortedMap<String, Long> allocatable) {

    public NodeFacts {
        capacity = sorted(capacity);
        allocatable = sorted(allocatable);
    }

    /** Whether it has all kinds of devices that a pod requests, free or not. */
    public boolean offers(PodRequest pod) {
        return pod.inAllocationOrder().stream()
                .flatMap(container -> container.resources().requests().keySet().stream())
                .filter(resource -> resource.contains("/"))
                .allMatch(resource -> allocatable.getOrDefault(resource, 0L) > 0);
    }

    /** The same of a node of another name. */
    public NodeFacts named(String other) {
        return new NodeFacts(other, kubeletVersion, capacity, allocatable);
    }
}
