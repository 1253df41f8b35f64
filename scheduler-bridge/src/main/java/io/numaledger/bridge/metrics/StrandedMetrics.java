package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.numaledger.scheduling.stranded.StrandedReason;
import io.numaledger.scheduling.stranded.StrandedReport;

import java.util.List;
import java.util.stream.Stream;

/** How many more pods of some sizes the cluster takes, and how many of them by node-level requests only. */
public final class StrandedMetrics {

    private final MultiGauge fitting;
    private final MultiGauge stranded;

    StrandedMetrics(MeterRegistry registry) {
        this.fitting = MultiGauge.builder("numaledger_bridge_reference_pods_fitting")
                .description("how many more pods of a size would run, by zones and by the sums of nodes")
                .register(registry);
        this.stranded = MultiGauge.builder("numaledger_bridge_stranded_pods")
                .description("pods of a size that have room by the sums of nodes, and not by zones, by reason")
                .register(registry);
    }

    public void report(StrandedReport report) {
        List<StrandedReport.Row> rows = report.rows();
        fitting.register(rows.stream().flatMap(StrandedMetrics::fitting).toList(), true);
        stranded.register(rows.stream().flatMap(StrandedMetrics::stranded).toList(), true);
    }

    private static Stream<Row<?>> fitting(StrandedReport.Row row) {
        return Stream.of(
                Row.of(tags(row).and("counted", "zones"), row.byZones()),
                Row.of(tags(row).and("counted", "sums"), row.bySums()));
    }

    private static Stream<Row<?>> stranded(StrandedReport.Row row) {
        return Stream.of(StrandedReason.values())
                .map(reason -> Row.of(
                        tags(row).and("reason", reason.toString()),
                        row.reasons().getOrDefault(reason, 0L)));
    }

    private static Tags tags(StrandedReport.Row row) {
        return Tags.of("reference", row.reference(), "pool", row.pool());
    }
}
