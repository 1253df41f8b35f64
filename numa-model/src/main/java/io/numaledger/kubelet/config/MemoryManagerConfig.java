package io.numaledger.kubelet.config;

import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * Memory Manager: policy and reservation.
 *
 * @param reservedMemory NUMA node id → {@code memory} or {@code hugepages-<size>} → bytes
 * @param nodeReserved what kubeReserved, systemReserved and the hard eviction threshold hold back together, by type, in
 *     bytes; absent: what {@code reservedMemory} adds up to
 */
public record MemoryManagerConfig(
        MemoryPolicy policy,
        SortedMap<Integer, SortedMap<String, Long>> reservedMemory,
        Optional<SortedMap<String, Long>> nodeReserved) {

    public static final MemoryManagerConfig OFF =
            new MemoryManagerConfig(MemoryPolicy.NONE, Collections.emptySortedMap(), Optional.empty());

    public MemoryManagerConfig {
        SortedMap<Integer, SortedMap<String, Long>> copy = new TreeMap<>();
        reservedMemory.forEach((node, amounts) -> copy.put(node, checked(node, amounts)));
        reservedMemory = Collections.unmodifiableSortedMap(copy);
        nodeReserved = nodeReserved.map(Sorted::sorted);
    }

    /** The Static policy with {@code memory} reserved per NUMA node, in bytes. */
    public static MemoryManagerConfig staticPolicy(Map<Integer, Long> memoryBytes) {
        SortedMap<Integer, SortedMap<String, Long>> reserved = new TreeMap<>();
        memoryBytes.forEach((node, bytes) -> reserved.put(node, sorted(Map.of("memory", bytes))));
        return new MemoryManagerConfig(MemoryPolicy.STATIC, reserved, Optional.empty());
    }

    private static SortedMap<String, Long> checked(int node, SortedMap<String, Long> amounts) {
        amounts.forEach((type, bytes) -> {
            if (bytes < 0 || ResourceKind.of(type) != ResourceKind.MEMORY) {
                throw new IllegalArgumentException(
                        "reservedMemory holds bytes of memory or hugepages: numaNode=%d type=%s bytes=%d; correct it"
                                .formatted(node, type, bytes));
            }
        });
        return sorted(amounts);
    }

    /** Bytes reserved on one NUMA node. */
    public long reserved(int numaNode, String type) {
        SortedMap<String, Long> amounts = reservedMemory.get(numaNode);
        return amounts == null ? 0 : amounts.getOrDefault(type, 0L);
    }

    /** Bytes reserved over all NUMA nodes, by type. */
    public SortedMap<String, Long> totals() {
        SortedMap<String, Long> sums = new TreeMap<>();
        reservedMemory
                .values()
                .forEach(amounts -> amounts.forEach((type, bytes) -> sums.merge(type, bytes, Long::sum)));
        return sums;
    }
}
