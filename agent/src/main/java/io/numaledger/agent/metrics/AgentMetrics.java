package io.numaledger.agent.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.config.MeterFilter;
import io.numaledger.annotation.PodAnnotator;
import io.numaledger.annotation.PodView;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyPublisher;
import io.numaledger.podresources.PodResourcesException;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The agent's metrics, which are listed in {@code docs/reference/metrics.md}. */
public final class AgentMetrics implements ReconciliationEvents {

    private static final String PREFIX = "numaledger.agent.";

    private static final List<String> REQUESTS = List.of(
            "list pods",
            "watch pods",
            "patch pods",
            "get noderesourcetopologies",
            "list noderesourcetopologies",
            "watch noderesourcetopologies",
            "create noderesourcetopologies",
            "patch noderesourcetopologies",
            "get nodes",
            "patch nodes");

    private static final Map<String, String> DESCRIPTIONS = Map.ofEntries(
            Map.entry("kubelet.calls", "calls to the kubelet's podresources API"),
            Map.entry("kubelet.call.failures", "failed calls to the podresources API, by kind of failure"),
            Map.entry("api.requests", "requests to the API server; a watch counts once, when it starts"),
            Map.entry("api.writes", "requests to the API server that write"),
            Map.entry("writes.skipped", "objects that were up to date, so that no write was necessary"),
            Map.entry(
                    "last.success.age.seconds", "time since everything was last published; NaN before the first time"),
            Map.entry("reconciliation.duration", "duration of a reconciliation: observe, compare, write"),
            Map.entry("pods.annotated", "pods of this node with an observed placement"),
            Map.entry("build.info", "1, with the version and the commit of this build"),
            Map.entry("drift.repaired", "published objects that another client had changed and the agent restored"),
            Map.entry("nrt.contested", "1 while another program writes the NodeResourceTopology, else 0"),
            Map.entry("topology.inconsistencies", "invalid values from sysfs or the kubelet"),
            Map.entry("kubelet.config.source", "1 for the source of the Topology Manager's policy, else 0"),
            Map.entry("config.last.reload.successful", "0 while the file of --config is invalid, else 1"),
            Map.entry("devices.without.zone", "allocatable devices without a zone"),
            Map.entry("kubelet.refusals", "pods that this node's kubelet refused, by reason"),
            Map.entry("kubelet.refusal.repeats", "refused pods whose owner already had a pod refused on this node"));

    private final MeterRegistry registry;
    private final Timer reconciliations;
    private final ZoneMetrics zones;
    private final AtomicInteger annotated = new AtomicInteger();
    private final AtomicInteger inconsistencies = new AtomicInteger();
    private final AtomicInteger devicesWithoutZone = new AtomicInteger(-1);
    private final AtomicInteger contested = new AtomicInteger();

    /** @param registry with no child of its own, such as an empty composite, nothing is kept */
    public AgentMetrics(MeterRegistry registry) {
        this.registry = registry;
        registry.config().meterFilter(new Descriptions());
        this.zones = new ZoneMetrics(registry);
        this.reconciliations = registry.timer(PREFIX + "reconciliation.duration");
        registry.gauge(PREFIX + "pods.annotated", annotated);
        ProgramVersion version = new ProgramVersion();
        Gauge.builder(PREFIX + "build.info", () -> 1)
                .tag("version", version.version())
                .tag("commit", version.commit())
                .register(registry);
        registry.gauge(PREFIX + "topology.inconsistencies", inconsistencies);
        registry.gauge(PREFIX + "nrt.contested", contested);
    }

    /** Makes the counters of events that have not happened exist, so that a scrape shows them as 0. To be called before the first scrape. */
    public void registerAll() {
        for (Repaired what : Repaired.values()) {
            repairs(what);
        }
        skipped("pod");
        skipped("nrt");
        for (String method : MeteredPodResources.METHODS) {
            calls(method);
            for (PodResourcesException.Kind kind : PodResourcesException.Kind.values()) {
                failures(method, kind);
            }
        }
        for (String request : REQUESTS) {
            String[] words = request.split(" ", 2);
            ApiRequest.RESULTS.forEach(result -> requests(new ApiRequest(words[0], words[1], result)));
        }
        for (Refusal.Reason reason : Refusal.Reason.values()) {
            counter("kubelet.refusals", "reason", reason.toString());
            counter("kubelet.refusal.repeats", "reason", reason.toString());
        }
    }

    private static final class Descriptions implements MeterFilter {
        @Override
        public Meter.Id map(Meter.Id id) {
            if (!id.getName().startsWith(PREFIX)) {
                return id;
            }
            String description = DESCRIPTIONS.get(id.getName().replace(PREFIX, ""));
            return new Meter.Id(
                    id.getName(), Tags.of(id.getTagsAsIterable()), id.getBaseUnit(), description, id.getType());
        }
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
        calls(method).increment();
    }

    private Counter calls(String method) {
        return counter("kubelet.calls", "method", method);
    }

    void kubeletFailed(String method, PodResourcesException.Kind kind) {
        failures(method, kind).increment();
    }

    private Counter failures(String method, PodResourcesException.Kind kind) {
        return counter("kubelet.call.failures", "method", method, "kind", lower(kind));
    }

    /** One request to the API server and what came of it. */
    public void apiRequest(ApiRequest request) {
        requests(request).forEach(Counter::increment);
    }

    private List<Counter> requests(ApiRequest request) {
        Counter all = counter(
                "api.requests", "verb", request.verb(), "resource", request.resource(), "result", request.result());
        return request.isWrite()
                ? List.of(all, counter("api.writes", "kind", request.kind(), "result", request.result()))
                : List.of(all);
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
    public void topology(TopologyPublisher.Outcome outcome, NodeTopology topology) {
        zones.published(topology);
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
