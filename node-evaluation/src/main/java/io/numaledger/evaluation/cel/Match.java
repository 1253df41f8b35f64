package io.numaledger.evaluation.cel;

/** Whether something is so, as far as it is evaluated here. */
public enum Match {
    YES,
    NO,
    /** The answer is not evaluated here. */
    COULD;

    /** Whether both are so. */
    public Match and(Match other) {
        return this == NO || other == NO ? NO : this == COULD || other == COULD ? COULD : YES;
    }

    public boolean isPossible() {
        return this != NO;
    }
}
