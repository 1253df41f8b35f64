package io.numaledger.placement;

import java.util.List;

/** The allocations of a node at one instant as the kubelet reports them, sorted: its own order differs from call to call. */
public record PodResourcesSnapshot(List<PodAllocation> pods) {

    public PodResourcesSnapshot {
        pods = pods.stream().sorted().toList();
    }
}
