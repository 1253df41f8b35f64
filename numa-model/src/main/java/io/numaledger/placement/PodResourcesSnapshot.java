package io.numaledger.placement;

import java.util.List;

/** What the kubelet says is allocated on its node at one instant, sorted: its own order differs from call to call. */
public record PodResourcesSnapshot(List<PodAllocation> pods) {

    public PodResourcesSnapshot {
        pods = pods.stream().sorted().toList();
    }
}
