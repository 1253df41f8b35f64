package io.numaledger.agent.run;

import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffTest {

    private final Backoff backoff = new Backoff(Duration.ofMillis(250), Duration.ofSeconds(5));

    @RepeatedTest(20)
    void waitsTwiceAsLongEachTimeUpToItsLimit() {
        for (long millis : new long[] {250, 500, 1000, 2000, 4000, 5000, 5000}) {
            assertThat(backoff.failed().toMillis()).isBetween(millis, 2 * millis);
        }
    }

    @Test
    void doesNotBringNodesBackInStep() {
        Set<Duration> waits = new HashSet<>();
        for (int node = 0; node < 50; node++) {
            waits.add(new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(5)).failed());
        }
        assertThat(waits).hasSizeGreaterThan(25);
    }

    @Test
    void asksALittleEarlierSoThatNodesDoNotListInStep() {
        Set<Duration> periods = new HashSet<>();
        for (int node = 0; node < 50; node++) {
            Duration period = Backoff.early(Duration.ofSeconds(60));
            assertThat(period).isBetween(Duration.ofSeconds(54), Duration.ofSeconds(60));
            periods.add(period);
        }
        assertThat(periods).hasSizeGreaterThan(25);
    }

    @Test
    void beginsAnewAfterASuccess() {
        backoff.failed();
        backoff.failed();
        backoff.succeeded();
        assertThat(backoff.failed()).isBetween(Duration.ofMillis(250), Duration.ofMillis(500));
    }
}
