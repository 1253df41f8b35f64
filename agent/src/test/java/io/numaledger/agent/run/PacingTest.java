package io.numaledger.agent.run;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

import static org.assertj.core.api.Assertions.assertThat;

class PacingTest {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private final Pacing pacing = new Pacing();

    @Test
    void letsTheFirstPublicationThroughAtOnce() {
        assertThat(pacing.earliest()).isBefore(START);
        pacing.published(START);
        assertThat(pacing.earliest()).isEqualTo(START.plusMillis(150));
    }

    @Test
    void makesABurstOfASecondFourPublicationsOrFewer() {
        Instant now = START;
        int published = 0;
        for (int pod = 0; pod <= 30; pod++) {
            now = START.plus(Duration.ofMillis(1000L * pod / 30));
            if (!now.isBefore(pacing.earliest())) {
                pacing.published(now);
                published++;
            }
        }
        assertThat(published).isLessThanOrEqualTo(4);
    }

    @Test
    void publishesEachPodOfALongBurstWithinHalfASecond() {
        for (int millis = 0; millis < 10_000; millis += 30) {
            Instant now = START.plusMillis(millis);
            assertThat(pacing.earliest()).isBefore(now.plusMillis(450));
            if (!now.isBefore(pacing.earliest())) {
                pacing.published(now);
            }
        }
    }

    @Test
    void isAtOnceAgainAfterAQuietTime() {
        pacing.published(START);
        pacing.published(START.plusMillis(150));
        pacing.published(START.plusMillis(450));
        Instant later = START.plusSeconds(60);
        assertThat(pacing.earliest()).isBefore(later);
        pacing.published(later);
        assertThat(pacing.earliest()).isEqualTo(later.plusMillis(150));
    }
}
