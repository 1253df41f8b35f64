package io.numaledger.nrt;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What is known of the kubelet's configuration, in its own spelling (KubeletConfiguration, kubelet.config.k8s.io/v1beta1).
 * What could not be learnt is absent, never a default.
 *
 * @param topologyManagerPolicy none, best-effort, restricted or single-numa-node
 * @param topologyManagerScope container or pod
 * @param cpuManagerPolicy none or static
 * @param memoryManagerPolicy None or Static
 * @param featureGates as the configuration names them
 */
public record KubeletSettings(
        Optional<String> topologyManagerPolicy,
        Optional<String> topologyManagerScope,
        SortedMap<String, String> topologyManagerPolicyOptions,
        Optional<String> cpuManagerPolicy,
        SortedMap<String, String> cpuManagerPolicyOptions,
        Optional<String> memoryManagerPolicy,
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

    /** Without feature gates: each has its release's default. */
    public KubeletSettings(
            Optional<String> topologyManagerPolicy,
            Optional<String> topologyManagerScope,
            SortedMap<String, String> topologyManagerPolicyOptions,
            Optional<String> cpuManagerPolicy,
            SortedMap<String, String> cpuManagerPolicyOptions,
            Optional<String> memoryManagerPolicy) {
        this(
                topologyManagerPolicy,
                topologyManagerScope,
                topologyManagerPolicyOptions,
                cpuManagerPolicy,
                cpuManagerPolicyOptions,
                memoryManagerPolicy,
                new TreeMap<>());
    }

    /** What is said here and, where nothing is, what the other says. */
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
