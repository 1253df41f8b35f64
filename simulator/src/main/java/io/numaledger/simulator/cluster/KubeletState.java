package io.numaledger.simulator.cluster;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.topology.CpuSet;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What a kubelet's three state files say: who holds what, by pod UID, init containers included. Of pods that ended it may
 * still tell until the next admission.
 *
 * @param sharedCpus the CPUs that no container has for itself alone
 * @param containers pod UID → container → what it holds
 * @param memory NUMA node → type → table; empty with Memory Manager policy None
 */
public record KubeletState(
        CpuSet sharedCpus,
        SortedMap<String, SortedMap<String, ContainerAllocation>> containers,
        SortedMap<Integer, SortedMap<String, MemoryTable>> memory) {

    public KubeletState {
        containers = sorted(containers);
        memory = sorted(memory);
    }

    /** The containers of one pod; empty when the kubelet holds nothing for it. */
    public SortedMap<String, ContainerAllocation> ofPod(String uid) {
        return containers.getOrDefault(uid, Collections.unmodifiableSortedMap(new TreeMap<>()));
    }
}
