package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.numaledger.placement.Amounts;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/** The zones of all nodes, by pool. */
public final class ZoneMetrics {

    private final MultiGauge allocatable;
    private final MultiGauge available;
    private final MultiGauge largestCpuRequest;

    ZoneMetrics(MeterRegistry registry) {
        this.allocatable = MultiGauge.builder("numaledger_bridge_zone_allocatable")
                .description("what pods may use of the zones of a pool: CPUs, bytes, devices")
                .register(registry);
        this.available = MultiGauge.builder("numaledger_bridge_zone_available")
                .description("allocatable less what pods hold of the zones of a pool: CPUs, bytes, devices")
                .register(registry);
        this.largestCpuRequest = MultiGauge.builder("numaledger_bridge_zone_largest_cpu_request")
                .description("the most CPUs of its own that one container gets from one zone of a pool")
                .register(registry);
    }

    /**
     * Replaces all series.
     *
     * @param allocatable pool → resource → CPUs in milli-CPU, bytes, counts
     * @param available the same
     * @param largestCpuRequests by pool
     */
    public void report(
            SortedMap<String, SortedMap<String, Long>> allocatable,
            SortedMap<String, SortedMap<String, Long>> available,
            SortedMap<String, Integer> largestCpuRequests) {
        this.allocatable.register(rows(allocatable), true);
        this.available.register(rows(available), true);
        List<Row<?>> cpus = new ArrayList<>();
        largestCpuRequests.forEach((pool, count) -> cpus.add(Row.of(Tags.of("pool", pool), count)));
        largestCpuRequest.register(cpus, true);
    }

    private static List<Row<?>> rows(SortedMap<String, SortedMap<String, Long>> sums) {
        List<Row<?>> rows = new ArrayList<>();
        sums.forEach((pool, amounts) -> amounts.forEach((resource, amount) ->
                rows.add(Row.of(Tags.of("pool", pool, "resource", resource), inBaseUnit(resource, amount)))));
        return rows;
    }

    /** The amount as Kubernetes counts it: CPUs instead of milli-CPU. */
    private static double inBaseUnit(String resource, long amount) {
        return resource.equals(Amounts.CPU) ? amount / 1000.0 : amount;
    }
}
