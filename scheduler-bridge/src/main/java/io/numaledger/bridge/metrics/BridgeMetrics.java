package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.turn.WaitingPods;
import io.numaledger.bridge.verdict.Evaluations.Form;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;

/** The numbers at {@code /metrics}; {@code docs/bridge.md} lists them. */
public final class BridgeMetrics {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    /** What these count by themselves. */
    public void watch(Ledger ledger, WaitingPods waiting) {
        FunctionCounter.builder("numaledger_bridge_ledger_rebuilds", ledger, Ledger::rebuilds)
                .description("pictures of single nodes that were made anew")
                .register(registry);
        for (Form form : Form.values()) {
            FunctionCounter.builder(
                            "numaledger_bridge_evaluations",
                            ledger,
                            each -> each.evaluations().count(form))
                    .description("answers about one pod on one node, by where they came from")
                    .tag("form", form.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        Gauge.builder("numaledger_bridge_reservations", ledger, Ledger::reservations)
                .description("pods that are bound and not observed yet")
                .register(registry);
        Gauge.builder("numaledger_bridge_waiting_pods", waiting, WaitingPods::count)
                .description("pods that were refused on every node and wait")
                .register(registry);
    }

    /** One node of one filter call. */
    public void decided(String verdict, String reason, int nodes) {
        Counter.builder("numaledger_bridge_decisions")
                .description("nodes judged in filter calls, by verdict and reason")
                .tag("verdict", verdict)
                .tag("reason", reason)
                .register(registry)
                .increment(nodes);
    }

    public void bind(String outcome) {
        Counter.builder("numaledger_bridge_binds")
                .description("bind calls by outcome: bound, refused (lost race), failed (API server)")
                .tag("outcome", outcome)
                .register(registry)
                .increment();
    }

    /** A reservation met what the agent observed. */
    public void observed(boolean same) {
        Counter.builder("numaledger_bridge_predictions")
                .description("predicted placements that were observed, by whether zones and amounts are the same")
                .tag("observed", same ? "same" : "different")
                .register(registry)
                .increment();
    }

    /** The kubelet refused a pod that we bound. */
    public void rejectedInSpiteOfUs(String reason) {
        Counter.builder("numaledger_bridge_rejected_in_spite")
                .description("pods that this bridge bound and a kubelet refused, by reason")
                .tag("reason", reason)
                .register(registry)
                .increment();
    }

    public void spanMissed() {
        Counter.builder("numaledger_bridge_span_missed")
                .description("pods observed over more zones than their annotation allows")
                .register(registry)
                .increment();
    }

    /** A waiting pod got a condition, so that kube-scheduler asks about it again. */
    public void reminded() {
        Counter.builder("numaledger_bridge_reminders")
                .description("waiting pods that could run and that kube-scheduler was made to ask about again")
                .register(registry)
                .increment();
    }

    /** The same route, timed. */
    public Route timed(String verb, Route route) {
        Timer timer = Timer.builder("numaledger_bridge_request")
                .description("time to answer, by verb")
                .tag("verb", verb)
                .publishPercentileHistogram()
                .minimumExpectedValue(Duration.ofNanos(100_000))
                .maximumExpectedValue(Duration.ofSeconds(5))
                .register(registry);
        return request -> {
            long start = System.nanoTime();
            try {
                return route.answer(request);
            } finally {
                timer.record(Duration.ofNanos(System.nanoTime() - start));
            }
        };
    }

    public Answer scrape(Request request) {
        return new Answer(
                200,
                "text/plain; version=0.0.4; charset=utf-8",
                registry.scrape().getBytes(StandardCharsets.UTF_8));
    }
}
