package io.numaledger.kubelet.config;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The feature gates that come and go with the resource managers, and others of the kubelet that 1.38 drops, by release
 * (pkg/features/kube_features.go). A gate that is none of these is taken to be known and free, as most are.
 */
enum KnownGate {
    CPU_MANAGER("CPUManager", 0, 0, 33),
    CPU_MANAGER_POLICY_OPTIONS("CPUManagerPolicyOptions", 0, 33, 0),
    TOPOLOGY_MANAGER("TopologyManager", 0, 27, 29),
    TOPOLOGY_MANAGER_POLICY_OPTIONS("TopologyManagerPolicyOptions", 0, 36, 0),
    MEMORY_MANAGER("MemoryManager", 0, 32, 36),
    DYNAMIC_RESOURCE_ALLOCATION("DynamicResourceAllocation", 0, 35, 38),
    NODE_SWAP("NodeSwap", 0, 34, 38),
    KUBELET_TRACING("KubeletTracing", 0, 34, 38),
    EXEC_PROBE_TIMEOUT("ExecProbeTimeout", 0, 35, 38),
    SUPPLEMENTAL_GROUPS_POLICY("SupplementalGroupsPolicy", 31, 35, 38),
    SIDECAR_CONTAINERS("SidecarContainers", 28, 33, 37),
    IN_PLACE_POD_VERTICAL_SCALING("InPlacePodVerticalScaling", 27, 35, 38),
    IN_PLACE_EXCLUSIVE_CPUS("InPlacePodVerticalScalingExclusiveCPUs", 32, 0, 0),
    IN_PLACE_EXCLUSIVE_MEMORY("InPlacePodVerticalScalingExclusiveMemory", 34, 0, 0),
    IN_PLACE_POD_LEVEL("InPlacePodLevelResourcesVerticalScaling", 35, 0, 0),
    POD_LEVEL_RESOURCES("PodLevelResources", 32, 0, 0),
    POD_LEVEL_RESOURCE_MANAGERS("PodLevelResourceManagers", 36, 0, 0),
    POD_LEVEL_FIX_DEFAULTING("PodLevelResourcesFixDefaulting", 37, 0, 0),
    POD_LEVEL_FIX_QOS_CLASS("PodLevelResourcesFixKubeletQOSClass", 37, 0, 0);

    private final String text;
    private final int since;
    private final int lockedSince;
    private final int goneSince;

    /** Minor versions: the first that knows the gate, that locks it, that has dropped it; 0: before all, or not yet. */
    KnownGate(String text, int since, int lockedSince, int goneSince) {
        this.text = text;
        this.since = since;
        this.lockedSince = lockedSince;
        this.goneSince = goneSince;
    }

    /** The kubelet's sentence against setting the gate; empty when it may be set so. */
    static Optional<String> objection(String gate, boolean on, KubeletVersion version) {
        return Stream.of(values())
                .filter(known -> known.text.equals(gate))
                .findFirst()
                .flatMap(known -> known.objection(on, version.minor()));
    }

    /** All gates that are locked are locked to true. */
    private Optional<String> objection(boolean on, int minor) {
        if (minor < since || (goneSince > 0 && minor >= goneSince)) {
            return Optional.of("unrecognized feature gate: " + text);
        }
        boolean locked = lockedSince > 0 && minor >= lockedSince;
        return locked && !on
                ? Optional.of("cannot set feature gate %s to false, feature is locked to true".formatted(text))
                : Optional.empty();
    }

    /** The kubelet's sentences when gates are on and the one that they build on is off. The kubelet's order is random. */
    static Optional<String> missingGround(KubeletConfig config) {
        if (config.version().minor() < 35 || config.gate(POD_LEVEL_RESOURCES.text, true)) {
            return Optional.empty();
        }
        List<String> sentences = Stream.of(values())
                .filter(gate -> gate.buildsOnPodLevelResources(config))
                .map(gate -> "%s is enabled, but depends on features that are disabled: [%s]"
                        .formatted(gate.text, POD_LEVEL_RESOURCES.text))
                .toList();
        return sentences.size() > 1
                ? Optional.of(sentences.toString())
                : sentences.stream().findFirst();
    }

    private boolean buildsOnPodLevelResources(KubeletConfig config) {
        int minor = config.version().minor();
        return switch (this) {
            case IN_PLACE_POD_LEVEL -> config.gate(text, minor >= 36);
            case POD_LEVEL_RESOURCE_MANAGERS -> config.gate(text, false);
            case POD_LEVEL_FIX_DEFAULTING, POD_LEVEL_FIX_QOS_CLASS -> config.gate(text, minor >= 37);
            default -> false;
        };
    }
}
