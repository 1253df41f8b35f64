package io.numaledger.agent.health;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** The time since the agent's last success and since its last progress. */
public final class Freshness {

    /** A reconciliation writes many pods, and each request to an unreachable API server takes until its timeout. No progress for longer than this is a hang. */
    static final Duration PROGRESS_TIMEOUT = Duration.ofMinutes(5);

    private final Duration readyWithin;
    private final InstantSource clock;
    private volatile Instant progressAt;
    private volatile Optional<Instant> succeededAt = Optional.empty();

    /** @param readyWithin a success older than this is too old */
    public Freshness(Duration readyWithin, InstantSource clock) {
        this.readyWithin = readyWithin;
        this.clock = clock;
        this.progressAt = clock.instant();
    }

    /** The loop is at work, with or without success. */
    public void madeProgress() {
        progressAt = clock.instant();
    }

    /** All that this node holds is published. */
    public void succeeded() {
        Instant now = clock.instant();
        progressAt = now;
        succeededAt = Optional.of(now);
    }

    /** The time since the last success; empty until the first one. */
    public Optional<Duration> sinceSuccess() {
        return succeededAt.map(at -> Duration.between(at, clock.instant()));
    }

    /** Why it is not ready; empty: it is. */
    Optional<String> notReady() {
        Optional<Duration> age = sinceSuccess();
        if (age.isEmpty()) {
            return Optional.of("nothing is published yet; see the agent's log for what it waits for");
        }
        return age.filter(time -> time.compareTo(readyWithin) > 0)
                .map(time -> "the last success is too old: age=%ds limit=%ds; see the agent's log"
                        .formatted(time.toSeconds(), readyWithin.toSeconds()));
    }

    /** Why it is to be restarted; empty: it works. */
    Optional<String> hanging() {
        Duration silence = Duration.between(progressAt, clock.instant());
        boolean hangs = silence.compareTo(PROGRESS_TIMEOUT.plus(readyWithin)) > 0;
        return hangs
                ? Optional.of("the loop hangs: silence=%ds; restart the agent".formatted(silence.toSeconds()))
                : Optional.empty();
    }
}
