package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.numaledger.bridge.healing.Misplaced;
import io.numaledger.bridge.link.ObservedLinks;
import io.numaledger.kubelet.admission.Refusal;

import java.util.Locale;

/** What kubelets made of the pods that were bound. */
public final class PlacementMetrics {

    private final MeterProvider<Counter> predictions;
    private final MeterProvider<Counter> rejections;
    private final MeterProvider<Counter> links;
    private final Counter spreadViolations;
    private final MeterProvider<Counter> healed;

    PlacementMetrics(MeterRegistry registry) {
        this.predictions = Counter.builder("numaledger_bridge_predictions")
                .description("predicted placements that were observed, by whether zones and amounts are the same")
                .withRegistry(registry);
        this.rejections = Counter.builder("numaledger_bridge_kubelet_rejections_after_bind")
                .description("pods that this bridge bound and a kubelet rejected, by reason")
                .withRegistry(registry);
        this.links = Counter.builder("numaledger_bridge_gpu_links")
                .description("pods that ask for links between their GPUs, by the links that were observed")
                .withRegistry(registry);
        this.spreadViolations = Counter.builder("numaledger_bridge_spread_violations")
                .description("pods observed over more zones than their annotation allows")
                .register(registry);
        this.healed = Counter.builder("numaledger_bridge_healing_evictions")
                .description("pods that were evicted because they missed what they demanded of their placement")
                .withRegistry(registry);
        for (Misplaced.Demand demand : Misplaced.Demand.values()) {
            healed(demand).increment(0);
        }
        predictions(true).increment(0);
        predictions(false).increment(0);
        for (Refusal.Reason reason : Refusal.Reason.values()) {
            rejections.withTag("reason", reason.toString()).increment(0);
        }
        for (ObservedLinks.Result result : ObservedLinks.Result.values()) {
            links(result).increment(0);
        }
    }

    /** An agent observed a pod that had a reservation. */
    public void observed(boolean asPredicted) {
        predictions(asPredicted).increment();
    }

    private Counter predictions(boolean asPredicted) {
        return predictions.withTag("observed", asPredicted ? "same" : "different");
    }

    /** The kubelet rejected a pod that this bridge had bound. */
    public void kubeletRejectedAfterBind(String reason) {
        rejections.withTag("reason", reason).increment();
    }

    public void spreadViolated() {
        spreadViolations.increment();
    }

    /** A pod was evicted that missed this demand. */
    public void evicted(Misplaced.Demand demand) {
        healed(demand).increment();
    }

    private Counter healed(Misplaced.Demand demand) {
        return healed.withTag("demand", demand.name().toLowerCase(Locale.ROOT));
    }

    /** The GPUs of a pod that asks for links were observed. */
    public void linksObserved(ObservedLinks.Result result) {
        links(result).increment();
    }

    private Counter links(ObservedLinks.Result result) {
        return links.withTag("observed", result.name().toLowerCase(Locale.ROOT));
    }
}
