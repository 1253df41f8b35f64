package io.numaledger.simulator.node;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** A clock with a queue of events: time jumps from one event to the next. Events of one instant run in the order of their calls. */
final class VirtualTime implements InstantSource {

    private record Event(Instant at, long sequence, Runnable action) {}

    private final PriorityQueue<Event> events =
            new PriorityQueue<>(Comparator.comparing(Event::at).thenComparing(Event::sequence));
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private long sequence;

    @Override
    public Instant instant() {
        return now;
    }

    void at(Instant when, Runnable action) {
        events.add(new Event(when, sequence++, action));
    }

    void after(Duration delay, Runnable action) {
        at(now.plus(delay), action);
    }

    void every(Duration period, Runnable action) {
        after(period, () -> {
            action.run();
            every(period, action);
        });
    }

    void runFor(Duration duration) {
        Instant end = now.plus(duration);
        while (!events.isEmpty() && !events.peek().at().isAfter(end)) {
            Event next = events.poll();
            now = next.at();
            next.action().run();
        }
        now = end;
    }

    /** A watch: events arrive in their order, each up to a maximum delay after it happened. */
    final class Watch {

        private final Random random;
        private final int maxDelayMs;
        private Instant last = Instant.MIN;

        Watch(Random random, int maxDelayMs) {
            this.random = random;
            this.maxDelayMs = maxDelayMs;
        }

        void deliver(Runnable event) {
            Instant arrival = now.plusMillis(1L + random.nextInt(maxDelayMs));
            last = arrival.isAfter(last) ? arrival : last;
            at(last, event);
        }
    }
}
