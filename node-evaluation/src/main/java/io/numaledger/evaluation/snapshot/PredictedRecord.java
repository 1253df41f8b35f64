package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.placement.Placement;

import java.util.Optional;

/**
 * What a pod in flight is predicted to hold, by its annotation.
 *
 * @param allocation the predicted CPUs and devices where they are recorded, else any free ones of these zones
 */
public record PredictedRecord(Placement placement, PredictedAllocation allocation) {

    /** Reads the record; absent where there is none, or where it is not believed. */
    public static Optional<PredictedRecord> of(NodeSnapshot node, PodFacts pod) {
        Optional<Placement> recorded = pod.records().predicted().flatMap(record -> record.believed());
        if (recorded.isEmpty() || node.model().kubelet().isEmpty() || node.now().isEmpty()) {
            return Optional.empty();
        }
        Placement placement = recorded.get();
        try {
            Allocations allocations = new Allocations(node.model().kubelet().get());
            return Optional.of(new PredictedRecord(
                    placement,
                    PredictedAllocation.of(pod)
                            .orElseGet(() -> new PredictedAllocation(
                                    allocations.ofAmounts(
                                            node.now().get(), pod.namespace(), pod.name(), placement, false),
                                    Optional.empty()))));
        } catch (IllegalArgumentException doesNotFit) {
            return Optional.empty();
        }
    }
}
