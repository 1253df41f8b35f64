package io.numaledger.simulator.cluster;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the Memory Manager holds of one type on one NUMA node, in bytes.
 *
 * @param allocatable all of it less the reservation
 * @param free allocatable less what it gave out; pods that ended count until the next admission
 * @param group the NUMA nodes that it gives out together with this one, this one included
 */
public record MemoryTable(long allocatable, long free, SortedSet<Integer> group) {

    public MemoryTable {
        group = Collections.unmodifiableSortedSet(new TreeSet<>(group));
    }
}
