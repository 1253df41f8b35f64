package io.numaledger.simulator.hardware;

import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.Set;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The part of a KubeletConfiguration (kubelet.config.k8s.io/v1beta1) that decides where pods sit; names and values are its own.
 *
 * @param reservedMemory used with Memory Manager policy Static only
 * @param featureGates what differs from the kubelet's defaults
 */
public record KubeletSpec(
        String topologyManagerPolicy,
        String topologyManagerScope,
        SortedMap<String, String> topologyManagerPolicyOptions,
        String cpuManagerPolicy,
        SortedMap<String, String> cpuManagerPolicyOptions,
        String memoryManagerPolicy,
        CpuSet reservedSystemCpus,
        List<ReservedMemory> reservedMemory,
        SortedMap<String, Boolean> featureGates) {

    public KubeletSpec {
        oneOf("topologyManagerPolicy", topologyManagerPolicy, "none", "best-effort", "restricted", "single-numa-node");
        oneOf("topologyManagerScope", topologyManagerScope, "container", "pod");
        oneOf("cpuManagerPolicy", cpuManagerPolicy, "none", "static");
        oneOf("memoryManagerPolicy", memoryManagerPolicy, "None", "Static");
        topologyManagerPolicyOptions = sorted(topologyManagerPolicyOptions);
        cpuManagerPolicyOptions = sorted(cpuManagerPolicyOptions);
        reservedMemory = List.copyOf(reservedMemory);
        featureGates = sorted(featureGates);
    }

    /** The same settings with another Topology Manager policy and scope. */
    public KubeletSpec withTopologyManager(String policy, String scope) {
        return new KubeletSpec(
                policy,
                scope,
                topologyManagerPolicyOptions,
                cpuManagerPolicy,
                cpuManagerPolicyOptions,
                memoryManagerPolicy,
                reservedSystemCpus,
                reservedMemory,
                featureGates);
    }

    public boolean staticCpus() {
        return cpuManagerPolicy.equals("static");
    }

    public boolean staticMemory() {
        return memoryManagerPolicy.equals("Static");
    }

    private static void oneOf(String field, String value, String... allowed) {
        if (!Set.of(allowed).contains(value)) {
            throw new IllegalArgumentException("not a kubelet setting: %s=%s; expected one of %s"
                    .formatted(field, value, String.join(", ", allowed)));
        }
    }
}
