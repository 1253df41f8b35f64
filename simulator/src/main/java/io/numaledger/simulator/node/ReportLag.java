package io.numaledger.simulator.node;

import java.time.Duration;
import java.util.Random;

/**
 * How much later than it happened a change shows in the reports of a simulated kubelet: a base and, on top, up to as much jitter,
 * drawn from a seed.
 */
public final class ReportLag {

    private final Duration base;
    private final Duration jitter;
    private final Random random;

    public ReportLag(Duration base, Duration jitter, long seed) {
        if (base.isNegative() || jitter.isNegative()) {
            throw new IllegalArgumentException("a report lag is 0 or more: base=%s jitter=%s".formatted(base, jitter));
        }
        this.base = base;
        this.jitter = jitter;
        this.random = new Random(seed);
    }

    public static ReportLag none() {
        return new ReportLag(Duration.ZERO, Duration.ZERO, 0);
    }

    Duration draw() {
        return base.plusMillis(jitter.isZero() ? 0 : random.nextLong(jitter.toMillis() + 1));
    }
}
