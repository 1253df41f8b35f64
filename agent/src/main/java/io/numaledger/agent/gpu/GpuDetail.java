package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.MigInstance;
import io.numaledger.agent.nvml.NvLink;

import java.util.List;
import java.util.Optional;

/**
 * What is known of one GPU beside its place in the topology.
 *
 * @param product such as {@code NVIDIA H100 80GB HBM3}
 * @param cpuAffinity the CPUs near it, in the kernel's list format
 * @param links its NVLink ends, inactive ones included; empty where only their sum is known
 * @param mig its slices; present, possibly empty, exactly in MIG mode
 */
public record GpuDetail(
        Optional<String> product, Optional<String> cpuAffinity, List<NvLink> links, Optional<List<MigInstance>> mig) {

    public GpuDetail {
        links = List.copyOf(links);
        mig = mig.map(List::copyOf);
    }

    /** A GPU of a system file, where only the CPUs may be known. */
    public static GpuDetail described(Optional<String> cpuAffinity) {
        return new GpuDetail(Optional.empty(), cpuAffinity, List.of(), Optional.empty());
    }
}
