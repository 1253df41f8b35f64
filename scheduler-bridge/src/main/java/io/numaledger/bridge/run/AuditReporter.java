package io.numaledger.bridge.run;

import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.metrics.PlacementMetrics;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.placement.PodAllocation;
import io.numaledger.scheduling.audit.AuditEntry;
import io.numaledger.scheduling.audit.Prediction;
import io.numaledger.scheduling.audit.PredictionAudit;
import io.numaledger.scheduling.audit.SeenState;
import io.numaledger.topology.CpuSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Counts what became of predictions, and logs those that missed. */
final class AuditReporter {

    private static final Logger log = LoggerFactory.getLogger(AuditReporter.class);

    private final PredictionAudit audit;
    private final PlacementMetrics metrics;

    AuditReporter(PredictionAudit audit, PlacementMetrics metrics) {
        this.audit = audit;
        this.metrics = metrics;
    }

    void released(PodFacts pod) {
        audit.observed(pod).ifPresent(this::report);
    }

    void rejected(PodFacts pod) {
        audit.rejected(pod).ifPresent(this::report);
    }

    /** Call it every ten seconds or so. */
    void settle() {
        audit.settle().forEach(this::report);
    }

    private void report(AuditEntry entry) {
        Prediction prediction = entry.prediction();
        metrics.audited(entry.outcome(), prediction.confidence());
        if (entry.outcome().isMiss()) {
            log.info(
                    "event=prediction.missed pod={} node={} outcome={} confidence={} predicted=\"{}\" observed=\"{}\" states={} saw=\"{}\"",
                    entry.pod().key(),
                    prediction.node(),
                    entry.outcome(),
                    prediction.confidence(),
                    ObservedPlacementText.write(prediction.placement().placement())
                            + cpus(Optional.of(
                                    prediction.placement().allocation().running())),
                    observed(entry.pod()),
                    prediction.states(),
                    prediction.seen().map(SeenState::text).orElse(""));
        }
    }

    private static String observed(PodFacts pod) {
        return pod.reason().orElse("")
                + pod.records()
                        .observed()
                        .flatMap(record -> record.believed())
                        .map(ObservedPlacementText::write)
                        .orElse("")
                + cpus(pod.records().placement().flatMap(record -> record.believed()));
    }

    private static String cpus(Optional<PodAllocation> allocation) {
        return allocation.stream()
                .flatMap(pod -> Stream.concat(
                        Stream.of(pod.cpus()).filter(cpus -> !cpus.isEmpty()).map(CpuSet::toString),
                        pod.containers().stream()
                                .filter(container -> !container.cpus().isEmpty())
                                .map(container -> container.name() + "=" + container.cpus())))
                .collect(Collectors.joining(",", " cpus:", ""));
    }
}
