package io.numaledger.bridge.audit;

import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.evaluation.PredictedPlacement;
import io.numaledger.bridge.objects.PlacementRecords;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.Optional;

/** What became of a prediction: the first of these that holds. */
public enum Outcome {
    /** The kubelet refused the pod. */
    REFUSED("refused"),
    /** The pod has other amounts on its zones, or other zones. */
    ZONES("zones"),
    /** The same amounts, with other CPUs. */
    CPUS("cpus"),
    /** The same amounts and CPUs, with devices of other NUMA nodes. The ids of devices are not compared: the kubelet takes any. */
    DEVICES("devices"),
    /** As predicted. */
    SAME("same");

    private final String text;

    Outcome(String text) {
        this.text = text;
    }

    /** Of a pod that its kubelet has admitted; absent where nothing was observed that is believed. */
    static Optional<Outcome> of(PredictedPlacement predicted, PlacementRecords records) {
        Optional<Placement> zones = records.observed().flatMap(record -> record.believed());
        Optional<PodAllocation> ids = records.placement().flatMap(record -> record.believed());
        if (zones.filter(observed -> !isSame(observed, predicted.placement())).isPresent()) {
            return Optional.of(ZONES);
        }
        return ids.map(observed -> ofIds(predicted, observed)).or(() -> zones.map(same -> SAME));
    }

    private static Outcome ofIds(PredictedPlacement predicted, PodAllocation observed) {
        if (predicted.allocation().isConfirmedBy(observed)) {
            return SAME;
        }
        return predicted.allocation().hasCpusOf(observed) ? DEVICES : CPUS;
    }

    /** The annotation rounds amounts; most are equal before that. */
    private static boolean isSame(Placement observed, Placement predicted) {
        return observed.equals(predicted)
                || ObservedPlacementText.write(observed).equals(ObservedPlacementText.write(predicted));
    }

    public boolean isMiss() {
        return this != SAME;
    }

    @Override
    public String toString() {
        return text;
    }
}
