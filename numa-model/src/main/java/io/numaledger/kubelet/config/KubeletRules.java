package io.numaledger.kubelet.config;

import io.numaledger.pod.PodRequest;

import java.util.Collections;
import java.util.Set;

/**
 * How one kubelet decides: its configuration after the kubelet's own start-up checks, options parsed, with the points at
 * which its release differs from others.
 */
public final class KubeletRules {

    private final KubeletConfig config;
    private final TopologyOptions topologyOptions;
    private final Set<CpuOption> cpuOptions;
    private final PodLevel podLevel;
    private final boolean listsMasks;

    /** What the managers do with a pod that has resources of its own ({@code spec.resources}). */
    public enum PodLevel {
        /** Evaluate its containers separately. */
        IGNORED,
        /** Keep out: it gets neither CPUs nor memory of its own. */
        LEFT_ALONE,
        /** Give the pod a place as a whole (1.36 and later, gate {@code PodLevelResourceManagers}). */
        MANAGED
    }

    KubeletRules(
            KubeletConfig config,
            TopologyOptions topologyOptions,
            Set<CpuOption> cpuOptions,
            PodLevel podLevel,
            boolean listsMasks) {
        this.config = config;
        this.topologyOptions = topologyOptions;
        this.cpuOptions = Collections.unmodifiableSet(cpuOptions);
        this.podLevel = podLevel;
        this.listsMasks = listsMasks;
    }

    public KubeletConfig config() {
        return config;
    }

    public TopologyPolicyName topologyPolicy() {
        return config.topologyManager().policy();
    }

    public TopologyScope topologyScope() {
        return config.topologyManager().scope();
    }

    public boolean prefersClosestNumaNodes() {
        return topologyOptions.preferClosest();
    }

    public boolean cpuManagerOn() {
        return config.cpuManager().policy() == CpuPolicy.STATIC;
    }

    public boolean memoryManagerOn() {
        return config.memoryManager().policy() == MemoryPolicy.STATIC;
    }

    public boolean has(CpuOption option) {
        return cpuOptions.contains(option);
    }

    public PodLevel podLevel() {
        return podLevel;
    }

    /** The pod has resources of its own and this kubelet keeps its hands off such pods. */
    public boolean leavesAlone(PodRequest pod) {
        return pod.podLevel().isPresent() && podLevel == PodLevel.LEFT_ALONE;
    }

    /** The pod has resources of its own, and its containers get parts of them. */
    public boolean managesAsAWhole(PodRequest pod) {
        return pod.podLevel().isPresent() && podLevel == PodLevel.MANAGED;
    }

    /** The pod gets CPUs and memory as a whole: with Topology Manager scope container, its containers get them one by one. */
    public boolean placesAsAWhole(PodRequest pod) {
        return managesAsAWhole(pod)
                && pod.isGuaranteed()
                && topologyScope() == TopologyScope.POD
                && topologyPolicy() != TopologyPolicyName.NONE;
    }

    /**
     * CPUs of a pod with resources of its own may be given to nobody later: where they cannot be divided before 1.38, and after a restart,
     * from 1.38 on only one with another scope of the Topology Manager.
     */
    public boolean losesCpusOfPods() {
        return podLevel == PodLevel.MANAGED && cpuManagerOn();
    }

    /**
     * The kubelet accepts an in-place resize of exclusive CPUs, and leaves the container those that it has: it holds more or fewer than are
     * allocated to it (pkg/kubelet/allocation/handlers.go).
     */
    public boolean acceptsResizeOfExclusiveCpus() {
        return version().minor() >= 37 && config.gate("InPlacePodVerticalScalingExclusiveCPUs", false);
    }

    /**
     * The machine has few enough NUMA nodes to list the masks of all hints. On others, hints are rules, see
     * {@link io.numaledger.kubelet.hint.HintRule}; both give the same results.
     */
    public boolean listsMasks() {
        return listsMasks;
    }

    /** These rules, with or without lists of masks. */
    public KubeletRules withListedMasks(boolean listed) {
        return new KubeletRules(config, topologyOptions, cpuOptions, podLevel, listed);
    }

    public KubeletVersion version() {
        return config.version();
    }
}
