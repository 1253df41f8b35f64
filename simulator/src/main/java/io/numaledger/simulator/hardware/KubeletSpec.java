package io.numaledger.simulator.hardware;

import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.topology.CpuSet;

import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1) that decides where pods are placed.
 *
 * @param memoryManager its reservations are used with policy Static only
 * @param featureGates what differs from the kubelet's defaults
 * @param cgroupsPerQos whether it has cgroups of this machine, so that it can resize pods in place
 */
public record KubeletSpec(
        TopologyManagerConfig topologyManager,
        CpuManagerConfig cpuManager,
        MemoryManagerConfig memoryManager,
        SortedMap<String, Boolean> featureGates,
        boolean cgroupsPerQos) {

    public KubeletSpec {
        featureGates = sorted(featureGates);
    }

    /** The same settings with another Topology Manager policy and scope. */
    public KubeletSpec withTopologyManager(TopologyPolicyName policy, TopologyScope scope) {
        return new KubeletSpec(
                new TopologyManagerConfig(policy, scope, topologyManager.options()),
                cpuManager,
                memoryManager,
                featureGates,
                cgroupsPerQos);
    }

    /** The same settings with another Memory Manager. */
    public KubeletSpec withMemoryManager(MemoryManagerConfig other) {
        return new KubeletSpec(topologyManager, cpuManager, other, featureGates, cgroupsPerQos);
    }

    /** The same with policies that align nothing, and so admit any pods that fit on the node as a whole. */
    public KubeletSpec withoutAlignment() {
        return new KubeletSpec(
                TopologyManagerConfig.of(TopologyPolicyName.NONE, topologyManager.scope()),
                new CpuManagerConfig(
                        CpuPolicy.NONE, Collections.emptySortedMap(), reservedSystemCpus(), OptionalLong.empty()),
                new MemoryManagerConfig(MemoryPolicy.NONE, memoryManager.reservedMemory(), Optional.empty()),
                featureGates,
                cgroupsPerQos);
    }

    public CpuSet reservedSystemCpus() {
        return cpuManager.reservedCpus();
    }

    public boolean staticCpus() {
        return cpuManager.policy() == CpuPolicy.STATIC;
    }

    public boolean staticMemory() {
        return memoryManager.policy() == MemoryPolicy.STATIC;
    }
}
