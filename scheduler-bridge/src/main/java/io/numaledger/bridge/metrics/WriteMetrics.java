package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import java.util.Locale;
import java.util.function.IntSupplier;

/** Writes to the API server that nobody waits for. */
public final class WriteMetrics {

    /** What is written. */
    public enum Kind {
        EVENTS,
        REQUEUES;

        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Why something is not written. */
    public enum Reason {
        /** Too many writes wait. */
        QUEUE_FULL,
        /** The API server refuses it, or gives no answer. */
        NOT_WRITTEN
    }

    private final MeterRegistry registry;

    WriteMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** @param waiting how many writes wait */
    public void queue(Kind kind, IntSupplier waiting) {
        Gauge.builder("numaledger_bridge_writes_waiting", waiting::getAsInt)
                .description("writes to the API server that wait for those before them")
                .tag("kind", kind.text())
                .register(registry);
    }

    /** Counts writes that are not made. */
    public Runnable dropped(Kind kind, Reason reason) {
        Counter counter = Counter.builder("numaledger_bridge_writes_dropped")
                .description("writes to the API server that were not made")
                .tag("kind", kind.text())
                .tag("reason", reason.name().toLowerCase(Locale.ROOT))
                .register(registry);
        return counter::increment;
    }
}
