package io.numaledger.nrt;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The known part of a kubelet's configuration (KubeletConfiguration, kubelet.config.k8s.io/v1beta1). Unknown values are absent,
 * never a default.
 *
 * @param featureGates as the configuration names them
 */
public record KubeletSettings(
        Optional<TopologyPolicyName> topologyManagerPolicy,
        Optional<TopologyScope> topologyManagerScope,
        SortedMap<String, String> topologyManagerPolicyOptions,
        Optional<CpuPolicy> cpuManagerPolicy,
        SortedMap<String, String> cpuManagerPolicyOptions,
        Optional<MemoryPolicy> memoryManagerPolicy,
        SortedMap<String, Boolean> featureGates) {

    public static final KubeletSettings UNKNOWN = new KubeletSettings(
            Optional.empty(),
            Optional.empty(),
            new TreeMap<>(),
            Optional.empty(),
            new TreeMap<>(),
            Optional.empty(),
            new TreeMap<>());

    public KubeletSettings {
        topologyManagerPolicyOptions = sorted(topologyManagerPolicyOptions);
        cpuManagerPolicyOptions = sorted(cpuManagerPolicyOptions);
        featureGates = sorted(featureGates);
    }

    /** Settings without feature gates: each gate has its release's default. */
    public KubeletSettings(
            Optional<TopologyPolicyName> topologyManagerPolicy,
            Optional<TopologyScope> topologyManagerScope,
            SortedMap<String, String> topologyManagerPolicyOptions,
            Optional<CpuPolicy> cpuManagerPolicy,
            SortedMap<String, String> cpuManagerPolicyOptions,
            Optional<MemoryPolicy> memoryManagerPolicy) {
        this(
                topologyManagerPolicy,
                topologyManagerScope,
                topologyManagerPolicyOptions,
                cpuManagerPolicy,
                cpuManagerPolicyOptions,
                memoryManagerPolicy,
                new TreeMap<>());
    }

    /** These settings, completed by the other's. */
    public KubeletSettings over(KubeletSettings other) {
        return new KubeletSettings(
                topologyManagerPolicy.or(other::topologyManagerPolicy),
                topologyManagerScope.or(other::topologyManagerScope),
                topologyManagerPolicyOptions.isEmpty()
                        ? other.topologyManagerPolicyOptions
                        : topologyManagerPolicyOptions,
                cpuManagerPolicy.or(other::cpuManagerPolicy),
                cpuManagerPolicyOptions.isEmpty() ? other.cpuManagerPolicyOptions : cpuManagerPolicyOptions,
                memoryManagerPolicy.or(other::memoryManagerPolicy),
                featureGates.isEmpty() ? other.featureGates : featureGates);
    }
}
