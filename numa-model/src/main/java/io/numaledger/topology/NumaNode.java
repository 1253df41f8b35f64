package io.numaledger.topology;

import java.util.OptionalLong;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * One NUMA node as the kernel shows it. Ids are the kernel's own: sparse ones, and ids such as 250, are normal.
 *
 * @param id the kernel's id, 0 or more
 * @param cpus its online CPUs; empty for a node of memory only
 * @param memoryBytes all of its memory, hugepages included; absent if unknown
 * @param hugepages page size in bytes → number of pages; empty if there are none, or unknown
 * @param distances NUMA node id → distance (10 is local), by real ids; empty if unknown
 */
public record NumaNode(
        int id,
        CpuSet cpus,
        OptionalLong memoryBytes,
        SortedMap<Long, Long> hugepages,
        SortedMap<Integer, Integer> distances) {

    public NumaNode {
        if (id < 0) {
            throw new IllegalArgumentException("a NUMA node id is 0 or more: id=%d".formatted(id));
        }
        hugepages = sorted(hugepages);
        distances = sorted(distances);
    }

    /** The node's name as a zone of a NodeResourceTopology: {@code node-<id>}. */
    public String zoneName() {
        return ZoneName.of(id);
    }
}
