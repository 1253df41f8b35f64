package io.numaledger.annotation;

import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.Optional;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The records of one pod that stand on the API server, or shall stand there. They are written by one patch.
 *
 * @param observed the text of {@link Annotations#OBSERVED}; absent: no such annotation
 * @param placement the text of {@link Annotations#PLACEMENT}; absent: no such annotation
 */
public record PodRecords(Optional<String> observed, Optional<String> placement) {

    public static final PodRecords NONE = new PodRecords(Optional.empty(), Optional.empty());

    /** Both records of what a pod holds; a pod that holds nothing has none, and a second record beyond {@link Annotations#MAX_RECORD_BYTES} is left out: a patch that is too long would be refused as a whole. */
    public static PodRecords of(Placement placement, PodAllocation allocation) {
        boolean holds = allocation.containers().stream().anyMatch(container -> !container.isEmpty());
        Optional<String> text = holds ? Optional.of(AllocationText.write(allocation)) : Optional.empty();
        return new PodRecords(
                observedText(placement),
                text.filter(written -> written.getBytes(UTF_8).length <= Annotations.MAX_RECORD_BYTES));
    }

    /** KAI's record alone. */
    public static PodRecords observed(Placement placement) {
        return new PodRecords(observedText(placement), Optional.empty());
    }

    private static Optional<String> observedText(Placement placement) {
        return placement.isEmpty() ? Optional.empty() : Optional.of(ObservedPlacementText.write(placement));
    }

    public boolean isEmpty() {
        return observed.isEmpty() && placement.isEmpty();
    }
}
