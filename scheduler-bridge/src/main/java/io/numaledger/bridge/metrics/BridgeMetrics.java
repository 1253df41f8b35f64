package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.evaluation.fit.EvaluationCounters;
import io.numaledger.evaluation.fit.EvaluationCounters.Method;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.RecentCostlyPods;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * The metrics at {@code /metrics}, by feature; {@code docs/reference/metrics.md} lists them. Counters are there from the start, with each
 * value of their labels.
 */
public final class BridgeMetrics {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final DecisionMetrics decisions = new DecisionMetrics(registry);
    private final PlacementMetrics placements = new PlacementMetrics(registry);
    private final GroupMetrics groups = new GroupMetrics(registry);
    private final SchedulerMetrics schedulers = new SchedulerMetrics(registry);
    private final ClaimMetrics claims = new ClaimMetrics(registry);
    private final ZoneMetrics zones = new ZoneMetrics(registry);
    private final StrandedMetrics stranded = new StrandedMetrics(registry);
    private final ServerMetrics server = new ServerMetrics(registry);
    private final WriteMetrics writes = new WriteMetrics(registry);
    private final MeterProvider<Counter> taskRuns = Counter.builder("numaledger_bridge_task_runs")
            .description("runs of the bridge's periodic tasks that have ended")
            .withRegistry(registry);
    private final MeterProvider<Counter> taskFailures = Counter.builder("numaledger_bridge_task_failures")
            .description("runs of the bridge's periodic tasks that ended in an unexpected error")
            .withRegistry(registry);

    public BridgeMetrics() {
        JvmMetrics.builder().register(registry.getPrometheusRegistry());
        taskFailures.withTag("task", "groups").increment(0);
    }

    public DecisionMetrics decisions() {
        return decisions;
    }

    public PlacementMetrics placements() {
        return placements;
    }

    public GroupMetrics groups() {
        return groups;
    }

    /** Where features register metrics of their own. */
    public MeterRegistry registry() {
        return registry;
    }

    public SchedulerMetrics schedulers() {
        return schedulers;
    }

    public ClaimMetrics claims() {
        return claims;
    }

    public ZoneMetrics zones() {
        return zones;
    }

    public StrandedMetrics stranded() {
        return stranded;
    }

    public ServerMetrics server() {
        return server;
    }

    public WriteMetrics writes() {
        return writes;
    }

    /** Registers the numbers that these objects keep themselves. */
    public void register(ClusterState cluster, EvaluationCounters evaluations, PendingPodQueue queue) {
        FunctionCounter.builder("numaledger_bridge_node_snapshot_builds", cluster, ClusterState::snapshotBuilds)
                .description("snapshots of single nodes that were built")
                .register(registry);
        for (Method method : Method.values()) {
            FunctionCounter.builder("numaledger_bridge_evaluations", evaluations, each -> each.count(method))
                    .description("evaluations of one pod on one node, by the method that produced the result")
                    .tag("method", method.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        ProgramVersion version = new ProgramVersion();
        Gauge.builder("numaledger.bridge.build.info", () -> 1)
                .description("1, with the version and the commit of this build")
                .tag("version", version.version())
                .tag("commit", version.commit())
                .register(registry);
        Gauge.builder("numaledger_bridge_reservations", cluster, ClusterState::reservations)
                .description("pods that are bound and not observed yet")
                .register(registry);
        Gauge.builder("numaledger_bridge_pending_pods", queue, PendingPodQueue::size)
                .description("pods that every node refused in their last filter call")
                .register(registry);
        Gauge.builder("numaledger_bridge_costly_pods", cluster.costlyPods(), RecentCostlyPods::count)
                .description("pods whose claims or containers are too costly to evaluate")
                .register(registry);
    }

    /** @param leads whether this replica binds pods; always where there is only one */
    public void replica(BooleanSupplier ready, BooleanSupplier leads) {
        Gauge.builder("numaledger_bridge_ready", () -> ready.getAsBoolean() ? 1 : 0)
                .description("1 while this replica is ready, else 0")
                .register(registry);
        Gauge.builder("numaledger_bridge_leader", () -> leads.getAsBoolean() ? 1 : 0)
                .description("1 while this replica binds pods, else 0")
                .register(registry);
    }

    /** Counts the runs, perhaps in vain, of a task that is repeated; the counter is there from now on. */
    public Runnable taskRuns(String task) {
        return taskRuns.withTag("task", task)::increment;
    }

    /** A task that runs again and again has failed; it goes on. */
    public void taskFailed(String task) {
        taskFailures.withTag("task", task).increment();
    }

    /** The seconds since the epoch; NaN if absent. */
    static double seconds(Optional<Instant> instant) {
        return instant.map(at -> (double) at.getEpochSecond()).orElse(Double.NaN);
    }

    public Answer scrape(Request request) {
        return new Answer(
                200,
                "text/plain; version=0.0.4; charset=utf-8",
                registry.scrape().getBytes(StandardCharsets.UTF_8));
    }
}
