package io.numaledger.placement;

import io.numaledger.topology.CpuSet;

import java.util.List;

import static io.numaledger.topology.Sorted.sortedList;

/**
 * What the kubelet gave one container for itself alone.
 *
 * @param cpus its exclusive CPUs; empty: it runs in the shared pool
 */
public record ContainerAllocation(String name, CpuSet cpus, List<MemoryBlock> memory, List<DeviceAllocation> devices) {

    public ContainerAllocation {
        memory = sortedList(memory);
        devices = sortedList(devices);
    }

    /** True when it holds nothing that has a place. */
    public boolean isEmpty() {
        return cpus.isEmpty() && memory.isEmpty() && devices.isEmpty();
    }
}
