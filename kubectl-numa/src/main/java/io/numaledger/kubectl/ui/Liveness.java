package io.numaledger.kubectl.ui;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/** Whether the cluster answers. A watch that says nothing does not tell, so that it is asked again and again. Thread-safe. */
final class Liveness {

    /** An answer takes less on a slow line. */
    static final Duration NO_ANSWER_AFTER = Duration.ofSeconds(10);

    /** What any cluster answers soon. */
    @FunctionalInterface
    interface Question {
        void ask() throws IOException;
    }

    private final Question question;
    private final InstantSource clock;
    private Optional<Instant> askedAt = Optional.empty();
    private Optional<Instant> answeredAt = Optional.empty();
    private Optional<String> failure = Optional.empty();

    Liveness(Question question, InstantSource clock) {
        this.question = question;
        this.clock = clock;
    }

    /** Asks, and waits for the answer. Returns whether the cluster answers again after it has not. */
    boolean ask() {
        begin();
        Optional<String> why = Optional.empty();
        try {
            question.ask();
        } catch (IOException e) {
            why = Optional.of(String.valueOf(e.getMessage()));
        }
        return end(why);
    }

    private synchronized void begin() {
        askedAt = Optional.of(clock.instant());
    }

    private synchronized boolean end(Optional<String> why) {
        boolean hadProblem = problem().isPresent();
        askedAt = Optional.empty();
        failure = why;
        if (why.isEmpty()) {
            answeredAt = Optional.of(clock.instant());
        }
        return hadProblem && why.isEmpty();
    }

    /** Why what was read may be outdated; empty: the cluster answers, or was not asked yet. */
    synchronized Optional<String> problem() {
        return askedAt.map(asked -> Duration.between(asked, clock.instant()))
                .filter(waited -> waited.compareTo(NO_ANSWER_AFTER) >= 0)
                .map(waited -> "the cluster has not answered for %d s; check with kubectl version"
                        .formatted(waited.toSeconds()))
                .or(() -> failure);
    }

    /** When the cluster has last answered. */
    synchronized Optional<Instant> answeredAt() {
        return answeredAt;
    }
}
