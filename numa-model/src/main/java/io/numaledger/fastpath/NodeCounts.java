package io.numaledger.fastpath;

import java.util.Arrays;
import java.util.Map;

/**
 * One node's free amounts, zone by zone, as arrays. Never changed once made. Nodes with equal counts give the same result for
 * every pod.
 */
public final class NodeCounts {

    final NodeLayout layout;
    /** {@code row · zones + zone}: whole CPUs, bytes, counts; 0 or more. */
    final long[] free;
    /** {@code row · zones + k}: the most that k+1 zones have free together. */
    final long[] largestSums;
    /** The zones that memory can come from. */
    final MemoryZones memory;
    /** Resource number → free devices, for resources whose devices have no NUMA node. */
    final Map<Integer, Long> unzonedDevices;

    private final int hash;

    NodeCounts(NodeLayout layout, long[] free, MemoryZones memory, Map<Integer, Long> unzonedDevices) {
        this.unzonedDevices = unzonedDevices;
        this.layout = layout;
        this.free = free;
        this.memory = memory;
        this.largestSums = NodeLayout.largestSums(free, layout.zones);
        this.hash = 31 * layout.hashCode() + Arrays.hashCode(free);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeCounts that
                && hash == that.hash
                && Arrays.equals(free, that.free)
                && memory.equals(that.memory)
                && unzonedDevices.equals(that.unzonedDevices)
                && layout.equals(that.layout);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
