package io.numaledger.simulator.hardware;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.topology.CpuSet;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1) that decides where pods are placed; names and values are its own.
 *
 * @param reservedMemory used with Memory Manager policy Static only
 * @param featureGates what differs from the kubelet's defaults
 * @param cgroupsPerQos whether it has cgroups of this machine, so that it can resize pods in place
 */
public record KubeletSpec(
        TopologyPolicyName topologyManagerPolicy,
        TopologyScope topologyManagerScope,
        SortedMap<String, String> topologyManagerPolicyOptions,
        CpuPolicy cpuManagerPolicy,
        SortedMap<String, String> cpuManagerPolicyOptions,
        MemoryPolicy memoryManagerPolicy,
        CpuSet reservedSystemCpus,
        List<ReservedMemory> reservedMemory,
        SortedMap<String, Boolean> featureGates,
        boolean cgroupsPerQos) {

    public KubeletSpec {
        topologyManagerPolicyOptions = sorted(topologyManagerPolicyOptions);
        cpuManagerPolicyOptions = sorted(cpuManagerPolicyOptions);
        reservedMemory = List.copyOf(reservedMemory);
        featureGates = sorted(featureGates);
    }

    /** The same settings with another Topology Manager policy and scope. */
    public KubeletSpec withTopologyManager(TopologyPolicyName policy, TopologyScope scope) {
        return new KubeletSpec(
                policy,
                scope,
                topologyManagerPolicyOptions,
                cpuManagerPolicy,
                cpuManagerPolicyOptions,
                memoryManagerPolicy,
                reservedSystemCpus,
                reservedMemory,
                featureGates,
                cgroupsPerQos);
    }

    /** The same with policies that align nothing, and so admit any pods that fit on the node as a whole. */
    public KubeletSpec withoutAlignment() {
        return new KubeletSpec(
                TopologyPolicyName.NONE,
                topologyManagerScope,
                Collections.emptySortedMap(),
                CpuPolicy.NONE,
                Collections.emptySortedMap(),
                MemoryPolicy.NONE,
                reservedSystemCpus,
                reservedMemory,
                featureGates,
                cgroupsPerQos);
    }

    public boolean staticCpus() {
        return cpuManagerPolicy == CpuPolicy.STATIC;
    }

    public boolean staticMemory() {
        return memoryManagerPolicy == MemoryPolicy.STATIC;
    }
}
