package io.numaledger.bridge.preemption;

/** Bounds the sets of victims that the searches of one call try one by one. Not thread-safe. */
public final class TrialBudget {

    /** About two seconds of a processor. */
    private static final int TRIALS = 10_000;

    private int left = TRIALS;

    boolean left() {
        return left > 0;
    }

    /** Takes one. Returns whether there was one. */
    boolean take() {
        return left-- > 0;
    }
}
