package io.numaledger.agent.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.numaledger.nrt.LargestCpuRequests;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.Amounts;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** The zones of this node as they are published. What is not published has no series. For one thread. */
final class ZoneMetrics {

    private final MultiGauge allocatable;
    private final MultiGauge available;
    private final MultiGauge largestCpuRequest;
    private Optional<NodeTopology> last = Optional.empty();

    ZoneMetrics(MeterRegistry registry) {
        this.allocatable = MultiGauge.builder("numaledger.zone.allocatable")
                .description("what pods may use of a zone: CPUs, bytes, devices")
                .register(registry);
        this.available = MultiGauge.builder("numaledger.zone.available")
                .description("allocatable less what running pods hold of a zone: CPUs, bytes, devices")
                .register(registry);
        this.largestCpuRequest = MultiGauge.builder("numaledger.zone.largest.cpu.request")
                .description("the most CPUs of its own that one container gets from a zone")
                .register(registry);
    }

    void published(NodeTopology topology) {
        if (last.filter(topology::equals).isPresent()) {
            return;
        }
        last = Optional.of(topology);
        allocatable.register(rows(topology, ZoneResource::allocatable), true);
        available.register(rows(topology, ZoneResource::available), true);
        List<Row<?>> cpus = new ArrayList<>();
        LargestCpuRequests.of(topology).forEach((zone, count) -> cpus.add(Row.of(Tags.of("zone", zone), count)));
        largestCpuRequest.register(cpus, true);
    }

    private static List<Row<?>> rows(NodeTopology topology, ToLongFunction<ZoneResource> amount) {
        List<Row<?>> rows = new ArrayList<>();
        for (Zone zone : topology.zones()) {
            zone.resources()
                    .forEach((name, resource) -> rows.add(Row.of(
                            Tags.of("zone", zone.name(), "resource", name),
                            inBaseUnit(name, amount.applyAsLong(resource)))));
        }
        return rows;
    }

    /** As Kubernetes counts it: CPUs instead of milli-CPU. */
    private static double inBaseUnit(String resource, long amount) {
        return resource.equals(Amounts.CPU) ? amount / 1000.0 : amount;
    }
}
