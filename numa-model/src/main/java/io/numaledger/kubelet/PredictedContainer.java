package io.numaledger.kubelet;

import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What one container will hold right after admission.
 *
 * @param cpus its own CPUs; empty: it runs in the shared pool
 * @param memory its blocks, sorted by type; for init containers less what later containers have of it
 * @param devices the devices; which ones of equally good ones is the kubelet's dice, so rely on {@code deviceCounts}
 * @param deviceCounts resource → NUMA nodes (as mask bits; 0 for no topology) → how many, without those that no plugin lists any more
 */
public record PredictedContainer(
        String name,
        CpuSet cpus,
        List<MemoryBlock> memory,
        List<DeviceAllocation> devices,
        SortedMap<String, SortedMap<Long, Integer>> deviceCounts) {

    public PredictedContainer {
        memory = memory.stream().sorted().toList();
        devices = devices.stream().sorted().toList();
        deviceCounts = sorted(deviceCounts);
    }
}
