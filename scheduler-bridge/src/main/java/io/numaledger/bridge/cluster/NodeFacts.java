package io.numaledger.bridge.cluster;

import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What matters of a Node object.
 *
 * @param kubeletVersion such as {@code v1.36.3}; absent where the kubelet has not said it
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

    /** The same of a node of another name. */
    public NodeFacts named(String other) {
        return new NodeFacts(other, kubeletVersion, capacity, allocatable);
    }
}
