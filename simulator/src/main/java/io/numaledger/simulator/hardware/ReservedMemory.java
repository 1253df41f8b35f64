package io.numaledger.simulator.hardware;

import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What the Memory Manager keeps from pods on one NUMA node.
 *
 * @param limits {@code memory} or {@code hugepages-<size>} → bytes
 */
public record ReservedMemory(int numaNode, SortedMap<String, Long> limits) {

    public ReservedMemory {
        limits = sorted(limits);
    }
}
