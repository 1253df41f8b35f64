package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.snapshot.PredictedAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

import java.util.List;

/**
 * Where the kubelet would place a pod.
 *
 * @param numaNodes the NUMA nodes that the kubelet aligns the pod to; none if it aligns nothing
 * @param placement amounts by NUMA node
 * @param allocation the same to the id of CPUs and devices
 * @param others what the pod may get instead, because the kubelet draws devices at random
 * @param complete the pod gets nothing else
 */
public record PredictedPlacement(
        AffinityMask numaNodes,
        Placement placement,
        PredictedAllocation allocation,
        List<Drawn> others,
        boolean complete) {

    /** One result of the kubelet's draws. */
    public record Drawn(Placement placement, PredictedAllocation allocation) {}

    public PredictedPlacement {
        others = List.copyOf(others);
    }

    /** Whether the kubelet draws: this is one of several possible results. */
    public boolean undetermined() {
        return !others.isEmpty() || !complete;
    }

    /** Whether a pod gets the same, to the CPU, and as many devices of the same NUMA nodes. */
    public boolean isAs(PredictedPlacement other) {
        return placement.equals(other.placement)
                && allocation.isConfirmedBy(other.allocation.running())
                && undetermined() == other.undetermined();
    }
}
