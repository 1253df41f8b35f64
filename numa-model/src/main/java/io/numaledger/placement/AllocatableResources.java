package io.numaledger.placement;

import io.numaledger.topology.CpuSet;

import java.util.List;

/**
 * What the kubelet may give to pods, held or not.
 *
 * @param cpus all CPUs less the reserved ones; empty with CPU Manager policy none
 * @param memory one block per NUMA node and type, reservations taken off; empty with Memory Manager policy None
 * @param devices the healthy devices
 */
public record AllocatableResources(CpuSet cpus, List<MemoryBlock> memory, List<DeviceAllocation> devices) {

    public AllocatableResources {
        memory = memory.stream().sorted().toList();
        devices = devices.stream().sorted().toList();
    }
}
