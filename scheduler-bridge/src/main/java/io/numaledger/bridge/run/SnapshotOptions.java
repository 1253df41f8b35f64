package io.numaledger.bridge.run;

import io.numaledger.cli.GoDuration;
import io.numaledger.evaluation.snapshot.GpuLinkSettings;
import io.numaledger.evaluation.snapshot.GpuPreference;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.UnknownNodePolicy;
import io.numaledger.evaluation.snapshot.UnknownNodes;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** How node snapshots are built. */
final class SnapshotOptions {

    @Option(
            names = "--trust-nrt-available",
            description =
                    "use the available amounts of NodeResourceTopology objects, instead of allocatable less the known placements")
    private boolean trustAvailable;

    @Option(
            names = "--ignore-resources",
            split = ",",
            paramLabel = "NAME",
            description =
                    "resources that are never aligned; no effect on cpu and memory where the NodeResourceTopology has the managers' policies")
    private List<String> ignored = List.of();

    @Option(
            names = "--unknown-nodes",
            paramLabel = "POLICY",
            description =
                    "pods that need alignment, on nodes whose zones are unknown: ${COMPLETION-CANDIDATES}; auto holds a node if zones are expected there (default: ${DEFAULT-VALUE})")
    private UnknownNodePolicy unknownNodes = UnknownNodes.DEFAULT.policy();

    @Option(
            names = "--unknown-hold-limit",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description = "how long a node with unknown zones is held before it is refused, such as 10m (default: 10m)")
    private Duration unknownHoldLimit = UnknownNodes.DEFAULT.holdLimit();

    @Option(
            names = "--foreign-topology-max-age",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description =
                    "zones from another exporter than the agent are unknown if its NodeResourceTopology has not changed for this long, such as 10m; 0s: never (default: 0s)")
    private Duration foreignMaxAge = SnapshotSettings.DEFAULT.foreignMaxAge();

    @Option(
            names = "--allow-possible-gpu-links",
            description =
                    "a pod that demands links between its GPUs may run where only some of the sets of GPUs that the kubelet may choose have them")
    private boolean possibleGpuLinks;

    @Option(
            names = "--gpu-preference",
            split = ",",
            paramLabel = "RESOURCE=POLICY",
            description =
                    "which GPUs the device plugin of a resource prefers, on all nodes: nvidia.com/gpu=gpuallocator for NVIDIA's device plugin; random: none, or unknown (default: random)")
    private Map<String, GpuPreference> gpuPreferences = Map.of();

    @Option(
            names = {"--namespace-defaults", "--namespace-gpu-links"},
            description =
                    "Namespaces set defaults for their pods by the annotations numaledger.io/gpu-links, numaledger.io/gpu-links-min and numaledger.io/claim-alignment")
    private boolean namespaceDefaults;

    void check() {
        var unused = settings();
    }

    boolean namespaceDefaults() {
        return namespaceDefaults;
    }

    SnapshotSettings settings() {
        return new SnapshotSettings(
                trustAvailable,
                new TreeSet<>(ignored),
                new UnknownNodes(unknownNodes, unknownHoldLimit),
                foreignMaxAge,
                new GpuLinkSettings(possibleGpuLinks, new TreeMap<>(gpuPreferences)));
    }
}
