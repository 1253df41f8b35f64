package io.numaledger.agent.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodView;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.nrt.TopologyPublisher;
import io.numaledger.podresources.PodResourcesException;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The agent's metrics, which are listed in {@code docs/reference/metrics.md}. */
public final class AgentMetrics implements ReconciliationEvents {

    private static final String PREFIX = "numaledger.agent.";

    private final MeterRegistry registry;
    private final Timer reconciliations;
    private final AtomicInteger annotated = new AtomicInteger();
    private final AtomicInteger inconsistencies = new AtomicInteger();
    private final AtomicInteger devicesWithoutZone = new AtomicInteger(-1);
    private final AtomicInteger contested = new AtomicInteger();

    /** @param registry with no child of its own, such as an empty composite, nothing is kept */
    public AgentMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.reconciliations = registry.timer(PREFIX + "reconciliation.duration");
        registry.gauge(PREFIX + "pods.annotated", annotated);
        ProgramVersion version = new ProgramVersion();
        Gauge.builder(PREFIX + "build.info", () -> 1)
                .tag("version", version.version())
                .tag("commit", version.commit())
                .register(registry);
        registry.gauge(PREFIX + "topology.inconsistencies", inconsistencies);
        registry.gauge(PREFIX + "nrt.contested", contested);
        for (Repaired what : Repaired.values()) {
            repairs(what);
        }
        skipped("pod");
        skipped("nrt");
    }

    /** The time since the last successful reconciliation, in seconds. */
    public void lastSuccessAge(Supplier<Number> seconds) {
        Gauge.builder(PREFIX + "last.success.age.seconds", seconds).register(registry);
    }

    /** Where the kubelet's configuration is known from, 1 for that source and 0 for all others. */
    public void kubeletConfigSource(Iterable<String> sources, Supplier<String> current) {
        for (String source : sources) {
            Gauge.builder(PREFIX + "kubelet.config.source", () -> current.get().equals(source) ? 1 : 0)
                    .tag("config_source", source)
                    .register(registry);
        }
    }

    /** Whether the configuration file is in force as it stands. */
    public void configuration(BooleanSupplier accepted) {
        Gauge.builder(PREFIX + "config.last.reload.successful", () -> accepted.getAsBoolean() ? 1 : 0)
                .register(registry);
    }

    void kubeletCalled(String method) {
        counter("kubelet.calls", "method", method).increment();
    }

    void kubeletFailed(String method, PodResourcesException.Kind kind) {
        counter("kubelet.call.failures", "method", method, "kind", lower(kind)).increment();
    }

    /** One request to the API server and what came of it. */
    public void apiRequest(ApiRequest request) {
        counter("api.requests", "verb", request.verb(), "resource", request.resource(), "result", request.result())
                .increment();
        if (request.isWrite()) {
            counter("api.writes", "kind", request.kind(), "result", request.result())
                    .increment();
        }
    }

    /** The kubelet of this node refused a pod. */
    public void refused(String reason, boolean again) {
        counter("kubelet.refusals", "reason", reason).increment();
        if (again) {
            counter("kubelet.refusal.repeats", "reason", reason).increment();
        }
    }

    @Override
    public void pods(List<PodView> pods) {
        // What it counts of pods, others find out first.
    }

    @Override
    public void polled() {
        // The call itself is counted.
    }

    @Override
    public void saw(int found, OptionalInt devices) {
        inconsistencies.set(found);
        if (devices.isPresent()) {
            if (devicesWithoutZone.getAndSet(devices.getAsInt()) < 0) {
                registry.gauge(PREFIX + "devices.without.zone", devicesWithoutZone);
            }
        }
    }

    @Override
    public void placements(PodAnnotator.Result written, int nowAnnotated) {
        annotated.set(nowAnnotated);
        skipped("pod").increment(written.unchanged());
    }

    @Override
    public void topology(TopologyPublisher.Outcome outcome) {
        contested.set(outcome == TopologyPublisher.Outcome.CONTESTED ? 1 : 0);
        if (outcome == TopologyPublisher.Outcome.UNCHANGED) {
            skipped("nrt").increment();
        }
    }

    @Override
    public void repaired(Repaired what, int count) {
        repairs(what).increment(count);
    }

    @Override
    public void ended(Duration took, boolean kubeletAnswered, boolean published) {
        reconciliations.record(took);
    }

    private Counter repairs(Repaired what) {
        return counter("drift.repaired", "kind", lower(what));
    }

    private Counter skipped(String kind) {
        return counter("writes.skipped", "kind", kind);
    }

    private Counter counter(String name, String... tags) {
        return registry.counter(PREFIX + name, tags);
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
