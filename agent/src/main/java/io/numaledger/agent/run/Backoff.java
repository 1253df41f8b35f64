package io.numaledger.agent.run;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** Exponential back-off with a limit and jitter, so that nodes do not retry at the same moment. */
final class Backoff {

    private final Duration first;
    private final Duration longest;
    private Duration next;

    Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    /** The wait after a failure, between one and two times a duration that doubles. */
    Duration failed() {
        Duration wait = next.plusMillis(ThreadLocalRandom.current().nextLong(next.toMillis() + 1));
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(longest) > 0 ? longest : doubled;
        return wait;
    }

    /** Up to a tenth less than a period: agents that started together do not stay in step. */
    static Duration early(Duration period) {
        return period.minusMillis(ThreadLocalRandom.current().nextLong(period.toMillis() / 10 + 1));
    }

    void succeeded() {
        next = first;
    }
}
