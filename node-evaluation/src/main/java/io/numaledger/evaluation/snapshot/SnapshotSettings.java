package io.numaledger.evaluation.snapshot;

import java.time.Duration;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How snapshots are built.
 *
 * @param trustAvailable use the available amounts of topologies, instead of allocatable less the known placements
 * @param ignoreList resources that are never aligned, as KAI's plugin argument of that name; no effect on CPU and memory
 *     where a topology has the managers' policies
 * @param unknownNodes the policy for nodes without a kubelet model
 * @param foreignMaxAge how old the last change of a NodeResourceTopology may be that no agent of this project wrote; zero: any age
 * @param gpuLinks how pods that demand links between their GPUs are evaluated
 */
public record SnapshotSettings(
        boolean trustAvailable,
        SortedSet<String> ignoreList,
        UnknownNodes unknownNodes,
        Duration foreignMaxAge,
        GpuLinkSettings gpuLinks) {

    public static final SnapshotSettings DEFAULT = new SnapshotSettings(
            false, Collections.emptySortedSet(), UnknownNodes.DEFAULT, Duration.ZERO, GpuLinkSettings.DEFAULT);

    public SnapshotSettings {
        if (foreignMaxAge.isNegative()) {
            throw new IllegalArgumentException(
                    "the age is negative: foreignMaxAge=%s; use 0s (any age) or more".formatted(foreignMaxAge));
        }
        ignoreList = Collections.unmodifiableSortedSet(new TreeSet<>(ignoreList));
    }
}
