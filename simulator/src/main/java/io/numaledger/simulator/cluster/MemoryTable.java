package io.numaledger.simulator.cluster;

import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The Memory Manager's account of one memory type on one NUMA node, in bytes. The kubelet's type of the same name:
 * pkg/kubelet/cm/memorymanager/state/state.go.
 *
 * @param allocatable capacity less the reservation
 * @param free allocatable less what containers hold; pods that have ended count until the next admission
 * @param group the NUMA nodes that are allocated together with this one, this one included
 */
public record MemoryTable(long allocatable, long free, SortedSet<Integer> group) {

    public MemoryTable {
        group = Collections.unmodifiableSortedSet(new TreeSet<>(group));
    }
}
