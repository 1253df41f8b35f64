package io.numaledger.kubelet.config;

import java.util.Collections;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * A kubelet's configuration as written, before the kubelet has looked at it.
 *
 * @param featureGates only those that differ from the defaults of the release
 */
public record KubeletConfig(
        KubeletVersion version,
        TopologyManagerConfig topologyManager,
        CpuManagerConfig cpuManager,
        MemoryManagerConfig memoryManager,
        SortedMap<String, Boolean> featureGates) {

    public KubeletConfig {
        featureGates = sorted(featureGates);
    }

    public KubeletConfig(
            KubeletVersion version,
            TopologyManagerConfig topologyManager,
            CpuManagerConfig cpuManager,
            MemoryManagerConfig memoryManager) {
        this(version, topologyManager, cpuManager, memoryManager, Collections.emptySortedMap());
    }

    boolean gate(String name, boolean byDefault) {
        return featureGates.getOrDefault(name, byDefault);
    }
}
