package io.numaledger.placement;

import io.numaledger.topology.Sorted;

import java.util.Collection;
import java.util.Comparator;
import java.util.SortedSet;

/**
 * Memory of one type that the kubelet's Memory Manager gave out or may give out, over one set of NUMA nodes.
 * The kubelet does not report how much of it is on each of them.
 *
 * @param type {@code memory} or {@code hugepages-<size>}
 * @param sizeBytes the whole block, 0 or more
 * @param numaNodes all NUMA nodes of the block; empty: not known
 */
public record MemoryBlock(String type, long sizeBytes, SortedSet<Integer> numaNodes)
        implements Comparable<MemoryBlock> {

    private static final Comparator<MemoryBlock> ORDER = Comparator.comparing(MemoryBlock::type)
            .thenComparing(block -> block.numaNodes().toString())
            .thenComparingLong(MemoryBlock::sizeBytes);

    public MemoryBlock {
        if (sizeBytes < 0) {
            throw new IllegalArgumentException("a memory block has 0 bytes or more: sizeBytes=%d".formatted(sizeBytes));
        }
        numaNodes = Sorted.sortedSet(numaNodes);
    }

    public MemoryBlock(String type, long sizeBytes, Collection<Integer> numaNodes) {
        this(type, sizeBytes, Sorted.sortedSet(numaNodes));
    }

    @Override
    public int compareTo(MemoryBlock other) {
        return ORDER.compare(this, other);
    }
}
