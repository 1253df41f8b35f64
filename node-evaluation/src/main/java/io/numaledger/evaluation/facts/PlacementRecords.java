package io.numaledger.evaluation.facts;

import io.numaledger.annotation.AllocationText;
import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.PodRequest;

import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The placement records among a pod's annotations. The owner of a pod can write them. They are read when the watch brings a version of the
 * pod: no lock is held then, and no caller waits.
 *
 * @param placement of {@link Annotations#PLACEMENT}
 * @param placementPredicted of {@link Annotations#PLACEMENT_PREDICTED}
 * @param observed of {@link Annotations#OBSERVED}
 * @param predicted of {@link Annotations#PREDICTED}
 */
public record PlacementRecords(
        Optional<PlacementRecord<PodAllocation>> placement,
        Optional<PlacementRecord<PodAllocation>> placementPredicted,
        Optional<PlacementRecord<Placement>> observed,
        Optional<PlacementRecord<Placement>> predicted) {

    public static final PlacementRecords NONE =
            new PlacementRecords(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private static final Set<String> KEYS =
            Set.of(Annotations.PLACEMENT, Annotations.PLACEMENT_PREDICTED, Annotations.OBSERVED, Annotations.PREDICTED);

    /**
     * Reads those that are there. None of them fails: each is believed or refused by itself.
     *
     * @param request what the pod can hold at most; its owner cannot raise it
     * @param names returns one object for equal names of containers and resources
     */
    public static PlacementRecords of(
            Map<String, String> annotations,
            String namespace,
            String name,
            PodRequest request,
            UnaryOperator<String> names) {
        if (KEYS.stream().noneMatch(annotations::containsKey)) {
            return NONE;
        }
        RecordBounds bounds = new RecordBounds(request);
        Function<String, PlacementRecord<PodAllocation>> exact =
                text -> bounds.check(AllocationText.read(namespace, name, text, names));
        Optional<PlacementRecord<Placement>> observed =
                read(annotations, Annotations.OBSERVED, text -> amounts(text, bounds));
        boolean asPredicted =
                Objects.equals(annotations.get(Annotations.OBSERVED), annotations.get(Annotations.PREDICTED));
        return new PlacementRecords(
                read(annotations, Annotations.PLACEMENT, exact),
                read(annotations, Annotations.PLACEMENT_PREDICTED, exact),
                observed,
                asPredicted ? observed : read(annotations, Annotations.PREDICTED, text -> amounts(text, bounds)));
    }

    /** These records with another {@link Annotations#PREDICTED}. */
    PlacementRecords withPredicted(String text, PodRequest request) {
        return new PlacementRecords(
                placement, placementPredicted, observed, read(text, each -> amounts(each, new RecordBounds(request))));
    }

    private static PlacementRecord<Placement> amounts(String text, RecordBounds bounds) {
        Placement placement = ObservedPlacementText.read(text);
        bounds.require(placement);
        return new PlacementRecord.Believed<>(placement);
    }

    private static <T> Optional<PlacementRecord<T>> read(
            Map<String, String> annotations, String key, Function<String, PlacementRecord<T>> reader) {
        return Optional.ofNullable(annotations.get(key)).flatMap(text -> read(text, reader));
    }

    private static <T> Optional<PlacementRecord<T>> read(String text, Function<String, PlacementRecord<T>> reader) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(reader.apply(text));
        } catch (IllegalArgumentException e) {
            return Optional.of(new PlacementRecord.Refused<>(String.valueOf(e.getMessage())));
        }
    }
}
