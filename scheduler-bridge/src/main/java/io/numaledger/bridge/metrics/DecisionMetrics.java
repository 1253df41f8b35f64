package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.numaledger.evaluation.fit.RefusalReason;

import java.util.Locale;

/** What kube-scheduler was told about pods. */
public final class DecisionMetrics {

    /** How a bind call ended. */
    public enum BindOutcome {
        BOUND,
        /** Another pod was faster. */
        REFUSED,
        /** The API server did not accept the binding. */
        FAILED
    }

    private final MeterProvider<Counter> filtered;
    private final MeterProvider<Counter> binds;
    private final Counter requeues;

    DecisionMetrics(MeterRegistry registry) {
        this.filtered = Counter.builder("numaledger_bridge_filtered_nodes")
                .description("nodes evaluated in filter calls, by result and reason")
                .withRegistry(registry);
        this.binds = Counter.builder("numaledger_bridge_binds")
                .description("bind calls by outcome: bound, refused (another pod was faster), failed (API server)")
                .withRegistry(registry);
        this.requeues = Counter.builder("numaledger_bridge_requeues")
                .description("pending pods that could run and that kube-scheduler was asked to retry")
                .register(registry);
        filtered("fits", "", 0);
        filtered("unknown", "", 0);
        for (RefusalReason reason : RefusalReason.values()) {
            filtered("refused", reason.toString(), 0);
        }
        for (BindOutcome outcome : BindOutcome.values()) {
            binds(outcome).increment(0);
        }
    }

    /** Nodes of a filter call with the same result. */
    public void filtered(String result, String reason, int nodes) {
        filtered.withTags("result", result, "reason", reason).increment(nodes);
    }

    public void bind(BindOutcome outcome) {
        binds(outcome).increment();
    }

    private Counter binds(BindOutcome outcome) {
        return binds.withTag("outcome", outcome.name().toLowerCase(Locale.ROOT));
    }

    /** kube-scheduler was asked to retry a pending pod. */
    public void requeued() {
        requeues.increment();
    }
}
