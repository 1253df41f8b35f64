package io.numaledger.agent.run;

import java.time.Duration;
import java.time.Instant;

/**
 * When the next publication may be: at once after a quiet time, and further apart in a burst, so that thirty pods in a second are
 * a handful of writes and no write waits for longer than 0.4 s.
 */
final class Pacing {

    private static final Duration FIRST_GAP = Duration.ofMillis(150);
    private static final Duration MAX_GAP = Duration.ofMillis(400);

    private Duration gap = Duration.ZERO;
    private Instant last = Instant.EPOCH;

    Instant earliest() {
        return last.plus(gap);
    }

    void published(Instant now) {
        boolean burst = now.isBefore(last.plus(gap.multipliedBy(2).plus(FIRST_GAP)));
        Duration longer = gap.isZero() ? FIRST_GAP : gap.multipliedBy(2);
        gap = !burst ? FIRST_GAP : longer.compareTo(MAX_GAP) > 0 ? MAX_GAP : longer;
        last = now;
    }
}
