package io.numaledger.bridge.snapshot;

import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.Optional;

/**
 * What a pod in flight is predicted to hold, by its annotation.
 *
 * @param allocation any free CPUs and devices of these zones
 */
public record PredictedRecord(Placement placement, PodAllocation allocation) {

    /** Reads it; absent where there is none, or where it is not believed. */
    public static Optional<PredictedRecord> of(NodeSnapshot node, PodFacts pod) {
        Optional<String> text = pod.annotation(Annotations.PREDICTED);
        if (text.isEmpty() || node.model().kubelet().isEmpty() || node.now().isEmpty()) {
            return Optional.empty();
        }
        try {
            Placement placement = ObservedPlacementText.read(text.get());
            new RecordBounds(pod).require(placement);
            return Optional.of(new PredictedRecord(
                    placement,
                    new Allocations(node.model().kubelet().get())
                            .ofAmounts(node.now().get(), pod.namespace(), pod.name(), placement)));
        } catch (IllegalArgumentException notBelieved) {
            return Optional.empty();
        }
    }
}
