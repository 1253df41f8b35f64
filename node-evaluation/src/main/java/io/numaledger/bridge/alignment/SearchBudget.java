package io.numaledger.bridge.alignment;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much may be evaluated of the devices of all nodes for one pod: who creates the pod writes its claims, and each node repeats their work.
 * What is beyond is not evaluated. Thread-safe.
 */
final class SearchBudget {

    /** A few seconds of one CPU, and ten times what a claim of one device takes with 10,000 nodes of 100 devices. */
    private static final long STEPS = 20_000_000;

    private final AtomicLong left = new AtomicLong(STEPS);

    /** Whether that much is left; it is spent in any case. */
    boolean spend(long steps) {
        return left.addAndGet(-steps) >= 0;
    }
}
