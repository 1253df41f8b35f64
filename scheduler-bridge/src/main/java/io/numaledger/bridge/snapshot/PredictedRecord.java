package io.numaledger.bridge.snapshot;

import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.placement.Placement;

import java.util.Optional;

/**
 * What a pod in flight is predicted to hold, by its annotation.
 *
 * @param allocation the predicted CPUs and devices where they are recorded, else any free ones of these zones
 */
public record PredictedRecord(Placement placement, PredictedAllocation allocation) {

    /** Reads it; absent where there is none, or where it is not believed. */
    public static Optional<PredictedRecord> of(NodeSnapshot node, PodFacts pod) {
        Optional<String> text = pod.annotation(Annotations.PREDICTED);
        if (text.isEmpty() || node.model().kubelet().isEmpty() || node.now().isEmpty()) {
            return Optional.empty();
        }
        try {
            Placement placement = ObservedPlacementText.read(text.get());
            new RecordBounds(pod).require(placement);
            Allocations allocations = new Allocations(node.model().kubelet().get());
            return Optional.of(new PredictedRecord(
                    placement,
                    PredictedAllocation.of(pod, new RecordCache())
                            .orElseGet(() -> new PredictedAllocation(
                                    allocations.ofAmounts(node.now().get(), pod.namespace(), pod.name(), placement),
                                    Optional.empty()))));
        } catch (IllegalArgumentException notBelieved) {
            return Optional.empty();
        }
    }
}
