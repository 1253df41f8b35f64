package io.numaledger.evaluation.facts;

import java.util.Optional;

/** A pod's phase. */
public enum PodPhase {
    PENDING("Pending"),
    RUNNING("Running"),
    SUCCEEDED("Succeeded"),
    FAILED("Failed"),
    UNKNOWN("Unknown");

    private final String text;

    PodPhase(String text) {
        this.text = text;
    }

    /** The phase of a pod's status. A pod without one is pending, as by the API server's default; an unlisted one is unknown. */
    public static PodPhase of(Optional<String> text) {
        if (text.isEmpty()) {
            return PENDING;
        }
        for (PodPhase phase : values()) {
            if (phase.text.equals(text.get())) {
                return phase;
            }
        }
        return UNKNOWN;
    }

    /** As in the API. */
    @Override
    public String toString() {
        return text;
    }
}
