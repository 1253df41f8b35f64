package io.numaledger.clock;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;

class SteadyClockTest {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    @Test
    void goesOnWhileTheSystemsClockJumps() {
        AtomicReference<Instant> system = new AtomicReference<>(BEGIN);
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
        SteadyClock clock = new SteadyClock(system::get, nanos::get);
        system.set(BEGIN.plus(Duration.ofHours(1)));
        assertThat(clock.instant()).isEqualTo(BEGIN);
        nanos.addAndGet(10);
        system.set(BEGIN.minus(Duration.ofHours(1)));
        assertThat(clock.instant()).isEqualTo(BEGIN.plusNanos(10));
    }
}
