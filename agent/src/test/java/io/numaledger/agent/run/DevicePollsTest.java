package io.numaledger.agent.run;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class DevicePollsTest {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");

    private Instant now = BEGIN;
    private final DevicePolls polls = new DevicePolls(Duration.ofSeconds(30), () -> now);

    @Test
    void asksOnceInAnInterval() {
        assertThat(asked(Duration.ofSeconds(65))).containsExactly(0L, 30_000L, 60_000L);
    }

    @Test
    void asksAFewTimesAfterASocketChanged() {
        asked(Duration.ZERO);
        polls.socketChanged();
        assertThat(asked(Duration.ofSeconds(40))).containsExactly(100L, 300L, 700L, 1500L, 3000L, 6000L, 36_000L);
    }

    @Test
    void beginsAgainWhenAnotherSocketChanges() {
        asked(Duration.ZERO);
        polls.socketChanged();
        asked(Duration.ofSeconds(1));
        polls.socketChanged();
        assertThat(asked(Duration.ofSeconds(6))).containsExactly(1100L, 1300L, 1700L, 2500L, 4000L);
    }

    @Test
    void asksAtOnceWhenTheNodeChanged() {
        asked(Duration.ofSeconds(1));
        polls.nodeChanged();
        assertThat(asked(Duration.ofSeconds(31))).containsExactly(1000L, 31_000L);
    }

    /** When it asks from now until this time after the begin, in milliseconds. */
    private List<Long> asked(Duration until) {
        List<Long> asked = new ArrayList<>();
        Instant end = BEGIN.plus(until);
        while (!polls.next().isAfter(end)) {
            now = polls.next().isAfter(now) ? polls.next() : now;
            polls.asked();
            asked.add(Duration.between(BEGIN, now).toMillis());
        }
        now = end;
        return asked;
    }
}
