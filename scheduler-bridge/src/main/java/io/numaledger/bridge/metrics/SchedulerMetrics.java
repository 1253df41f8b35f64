package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.numaledger.scheduling.scheduler.SchedulerFinding;
import io.numaledger.scheduling.scheduler.SchedulerFinding.Kind;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Whether schedulers call the bridge. */
public final class SchedulerMetrics {

    private final MeterRegistry registry;
    private final MultiGauge unasked;

    SchedulerMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.unasked = MultiGauge.builder("numaledger_bridge_unasked_pods")
                .description("pods that no scheduler tries, or that a scheduler has bound without calling the bridge")
                .register(registry);
        unaskedPods(List.of());
    }

    /** @param last when the scheduler of this name last called filter; absent: it has not */
    public void lastFilterCall(String scheduler, Supplier<Optional<Instant>> last) {
        Gauge.builder("numaledger_bridge_last_filter_call_timestamp_seconds", () -> BridgeMetrics.seconds(last.get()))
                .description("when a scheduler last called filter of this replica, in seconds since the epoch")
                .tag("scheduler", scheduler)
                .register(registry);
    }

    /** Pods for which nobody calls the bridge. */
    public void unaskedPods(List<SchedulerFinding> findings) {
        unasked.register(
                Stream.of(Kind.values())
                        .filter(kind -> kind != Kind.NOT_ASKED)
                        .<MultiGauge.Row<?>>map(kind -> MultiGauge.Row.of(
                                Tags.of("finding", kind.toString()),
                                findings.stream()
                                        .filter(finding -> finding.kind() == kind)
                                        .mapToInt(finding -> finding.pods().size())
                                        .sum()))
                        .toList(),
                true);
    }
}
