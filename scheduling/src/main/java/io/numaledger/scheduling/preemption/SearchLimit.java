package io.numaledger.scheduling.preemption;

/** Bounds the sets of victims that the searches of one call try one by one. Not thread-safe. */
public final class SearchLimit {

    /** About two seconds of a processor. */
    private static final int SETS = 10_000;

    private int left;

    public SearchLimit() {
        this(SETS);
    }

    public SearchLimit(int sets) {
        this.left = sets;
    }

    /** Whether a set was not tried. */
    public boolean isReached() {
        return left < 0;
    }

    /** Takes one. Returns whether there was one. */
    public boolean take() {
        return left-- > 0;
    }
}
