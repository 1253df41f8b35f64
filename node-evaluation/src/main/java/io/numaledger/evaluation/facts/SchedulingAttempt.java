package io.numaledger.evaluation.facts;

import java.time.Instant;
import java.util.Optional;

/**
 * How a scheduler's last attempt to find a node for a pod ended, as the pod's condition PodScheduled says.
 *
 * @param since when the first of the attempts with this result ended; absent: it is not known, or there was none
 */
public record SchedulingAttempt(Result result, Optional<Instant> since) {

    /** How it ended. */
    public enum Result {
        /** There was no attempt, or it found a node. */
        NONE,
        REFUSED,
        /** Nodes refused the pod because of their zones. */
        REFUSED_FOR_ZONES
    }

    public static final SchedulingAttempt NONE = new SchedulingAttempt(Result.NONE, Optional.empty());
}
