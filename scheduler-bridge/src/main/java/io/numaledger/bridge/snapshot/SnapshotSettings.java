package io.numaledger.bridge.snapshot;

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
 */
public record SnapshotSettings(boolean trustAvailable, SortedSet<String> ignoreList, UnknownNodes unknownNodes) {

    public static final SnapshotSettings DEFAULT =
            new SnapshotSettings(false, Collections.emptySortedSet(), UnknownNodes.DEFAULT);

    public SnapshotSettings {
        ignoreList = Collections.unmodifiableSortedSet(new TreeSet<>(ignoreList));
    }
}
