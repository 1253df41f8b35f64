package io.numaledger.agent.run;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/** How long to wait after a failure: longer each time up to a limit, jittered, so that nodes do not come back in step. */
final class Backoff {

    private final Duration first;
    private final Duration longest;
    private Duration next;

    Backoff(Duration first, Duration longest) {
        this.first = first;
        this.longest = longest;
        this.next = first;
    }

    /** Between one and two times a duration that doubles. */
    Duration failed() {
        Duration wait = next.plusMillis(ThreadLocalRandom.current().nextLong(next.toMillis() + 1));
        Duration doubled = next.multipliedBy(2);
        next = doubled.compareTo(longest) > 0 ? longest : doubled;
        return wait;
    }

    void succeeded() {
        next = first;
    }
}
