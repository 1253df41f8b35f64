package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.claim.DeviceCounts;

import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.stream.Stream;

/** The devices of Dynamic Resource Allocation in the cluster. */
public final class ClaimMetrics {

    private final MultiGauge devices;
    private final MultiGauge misaligned;
    private final Counter givenBack;
    private final MeterProvider<Counter> misalignedAfterBind;

    ClaimMetrics(MeterRegistry registry) {
        this.devices = MultiGauge.builder("numaledger_bridge_claim_devices")
                .description("devices that drivers publish in ResourceSlices, by what claims hold")
                .register(registry);
        this.misaligned = MultiGauge.builder("numaledger_bridge_misaligned_claim_pods")
                .description(
                        "pods with a claimed device on another NUMA node than their CPUs, their memory or other claimed devices")
                .register(registry);
        this.givenBack = Counter.builder("numaledger_bridge_claims_given_back")
                .description("claims whose allocation was removed, for pods that did not fit its node")
                .register(registry);
        this.misalignedAfterBind = Counter.builder("numaledger_bridge_claims_misaligned_after_bind")
                .description(
                        "pods that demand alignment and run with a claimed device on another NUMA node than their CPUs or memory")
                .withRegistry(registry);
        for (AlignmentDemand demand : AlignmentDemand.values()) {
            counter(demand).increment(0);
        }
    }

    /** @param counts of all nodes together, one for each driver and NUMA node id */
    public void devices(List<DeviceCounts> counts) {
        devices.register(
                counts.stream()
                        .<Row<?>>flatMap(each -> Stream.of(
                                Row.of(tags(each, "claimed"), each.claimed()), Row.of(tags(each, "free"), each.free())))
                        .toList(),
                true);
    }

    private static Tags tags(DeviceCounts counts, String state) {
        return Tags.of(
                "driver",
                counts.driver(),
                "numa_node",
                counts.numaNode().map(String::valueOf).orElse("unknown"),
                "state",
                state);
    }

    /** The allocation of a claim was removed. */
    public void givenBack() {
        givenBack.increment();
    }

    /** @param pods their number by driver */
    public void misaligned(SortedMap<String, Integer> pods) {
        misaligned.register(
                pods.entrySet().stream()
                        .<Row<?>>map(each -> Row.of(Tags.of("driver", each.getKey()), each.getValue()))
                        .toList(),
                true);
    }

    /** A pod with this demand was observed to miss it. */
    public void misalignedAfterBind(AlignmentDemand demand) {
        counter(demand).increment();
    }

    private Counter counter(AlignmentDemand demand) {
        return misalignedAfterBind.withTag("demand", demand.name().toLowerCase(Locale.ROOT));
    }
}
