package io.numaledger.scheduling.audit;

import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.evaluation.facts.PlacementRecords;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.fit.PredictedPlacement.Drawn;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PredictedAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.Optional;
import java.util.stream.Stream;

/** What became of a prediction: the first of these that holds. */
public enum Outcome {
    /** The kubelet refused the pod. */
    REFUSED("refused"),
    /** The pod has other amounts on its zones, or other zones. */
    ZONES("zones"),
    /** The pod has the predicted amounts, with other CPUs. */
    CPUS("cpus"),
    /** The pod has the predicted amounts and CPUs, with devices of other NUMA nodes. The ids of devices are not compared: the kubelet takes any. */
    DEVICES("devices"),
    /** As the kubelet's model decides if other pods came or ended a moment earlier, or later: nobody could know. */
    TIMING("timing"),
    /** The pod is placed as predicted. */
    SAME("same");

    private final String text;

    Outcome(String text) {
        this.text = text;
    }

    /** The outcome for a pod that its kubelet has admitted; absent where nothing was observed that is believed. */
    static Optional<Outcome> of(PredictedPlacement predicted, PlacementRecords records) {
        return of(predicted.placement(), predicted.allocation(), records);
    }

    private static Optional<Outcome> of(Placement placement, PredictedAllocation predicted, PlacementRecords records) {
        Optional<Placement> zones = records.observed().flatMap(record -> record.believed());
        Optional<PodAllocation> ids = records.placement().flatMap(record -> record.believed());
        if (zones.filter(observed -> !isSame(observed, placement)).isPresent()) {
            return Optional.of(ZONES);
        }
        return ids.map(observed -> ofIds(predicted, observed)).or(() -> zones.map(same -> SAME));
    }

    private static Outcome ofIds(PredictedAllocation predicted, PodAllocation observed) {
        if (predicted.isConfirmedBy(observed)) {
            return SAME;
        }
        return predicted.hasCpusOf(observed) ? DEVICES : CPUS;
    }

    /**
     * Whether the kubelet's model decides in one of these states as the kubelet has.
     *
     * @param records of the pod
     */
    static boolean isOfAny(Stream<NodeSnapshot> states, PodFacts pod, PlacementRecords records) {
        return states.map(state -> FullModel.evaluate(state, pod))
                .flatMap(evaluation -> evaluation instanceof Fits fits ? fits.placement().stream() : Stream.empty())
                .flatMap(each -> Stream.concat(
                        Stream.of(new Drawn(each.placement(), each.allocation())), each.others().stream()))
                .anyMatch(
                        each -> of(each.placement(), each.allocation(), records).equals(Optional.of(SAME)));
    }

    /** The annotation rounds amounts; most are equal before that. */
    private static boolean isSame(Placement observed, Placement predicted) {
        return observed.equals(predicted)
                || ObservedPlacementText.write(observed).equals(ObservedPlacementText.write(predicted));
    }

    public boolean isMiss() {
        return this != SAME && this != TIMING;
    }

    @Override
    public String toString() {
        return text;
    }
}
