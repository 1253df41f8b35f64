package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.numaledger.evaluation.link.ObservedLinks;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.scheduling.audit.Outcome;
import io.numaledger.scheduling.healing.Misplaced;

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
                .description("predicted placements, by what the kubelet did and the confidence of the prediction")
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
        for (Outcome outcome : Outcome.values()) {
            for (Confidence confidence : Confidence.values()) {
                predictions(outcome, confidence).increment(0);
            }
        }
        for (Refusal.Reason reason : Refusal.Reason.values()) {
            rejections.withTag("reason", reason.toString()).increment(0);
        }
        for (ObservedLinks.Result result : ObservedLinks.Result.values()) {
            links(result).increment(0);
        }
    }

    /** The kubelet has placed or refused a pod whose placement was predicted. */
    public void audited(Outcome outcome, Confidence confidence) {
        predictions(outcome, confidence).increment();
    }

    private Counter predictions(Outcome outcome, Confidence confidence) {
        return predictions.withTags("outcome", outcome.toString(), "confidence", confidence.toString());
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
