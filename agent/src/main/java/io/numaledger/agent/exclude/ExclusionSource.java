package io.numaledger.agent.exclude;

/** Port: the current exclusions. */
public interface ExclusionSource {

    Exclusions current();

    /** True if {@link #current} would say something else than it did last. */
    default boolean changed() {
        return false;
    }

    /** False while the latest word cannot be used, and an older one stays in force. Called by any thread. */
    default boolean accepted() {
        return true;
    }

    /** Exclusions that never change. */
    static ExclusionSource fixed(Exclusions exclusions) {
        return () -> exclusions;
    }
}
