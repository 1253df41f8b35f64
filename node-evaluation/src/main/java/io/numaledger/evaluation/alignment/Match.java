package io.numaledger.evaluation.alignment;

/** Whether something is so, as far as it is evaluated here. */
public enum Match {
    YES,
    NO,
    /** It is not evaluated. */
    COULD;

    /** Whether both are so. */
    Match and(Match other) {
        return this == NO || other == NO ? NO : this == COULD || other == COULD ? COULD : YES;
    }

    boolean isPossible() {
        return this != NO;
    }
}
