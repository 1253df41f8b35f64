package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.numaledger.bridge.evaluation.EvaluationCounters;
import io.numaledger.bridge.evaluation.EvaluationCounters.Method;
import io.numaledger.bridge.evaluation.RefusalReason;
import io.numaledger.bridge.group.GroupListener;
import io.numaledger.bridge.link.ObservedLinks;
import io.numaledger.bridge.queue.PendingPodQueue;
import io.numaledger.bridge.scheduler.SchedulerFinding;
import io.numaledger.bridge.scheduler.SchedulerFinding.Kind;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Request;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.kubelet.admission.Refusal;
import io.prometheus.metrics.instrumentation.jvm.JvmMetrics;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The metrics at {@code /metrics}; {@code docs/reference/metrics.md} lists them. */
public final class BridgeMetrics {

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MultiGauge unmodelled = MultiGauge.builder("numaledger_bridge_unmodelled_node")
            .description("1 for each node without a complete kubelet model")
            .register(registry);

    private final MultiGauge zoneless = MultiGauge.builder("numaledger_bridge_devices_without_zone")
            .description("1 for each node whose kubelet aligns strictly and that has devices which no zone lists")
            .register(registry);
    private final MultiGauge unrecorded = MultiGauge.builder("numaledger_bridge_pods_without_record")
            .description("aligned pods that have run for a minute without an observed placement, by node")
            .register(registry);
    private final MultiGauge setAside = MultiGauge.builder("numaledger_bridge_records_set_aside")
            .description("pods whose records name more than the agent's zones show as held, by node")
            .register(registry);

    private final MultiGauge slowAdmission = MultiGauge.builder("numaledger_bridge_slow_admission")
            .description("1 for each node whose kubelet itself needs a second or more to admit a container")
            .register(registry);

    private final MultiGauge unasked = MultiGauge.builder("numaledger_bridge_unasked_pods")
            .description("pods that no scheduler tries, or that a scheduler has bound without calling the bridge")
            .register(registry);

    /** The bounds of the request histogram: from a cached answer to the longest timeout. */
    private static final Duration[] BUCKETS = Stream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    public BridgeMetrics() {
        JvmMetrics.builder().register(registry.getPrometheusRegistry());
        filtered("fits", "", 0);
        filtered("unknown", "", 0);
        for (RefusalReason reason : RefusalReason.values()) {
            filtered("refused", reason.toString(), 0);
        }
        for (BindOutcome outcome : BindOutcome.values()) {
            binds(outcome);
        }
        predictions(true);
        predictions(false);
        for (Refusal.Reason reason : Refusal.Reason.values()) {
            rejections(reason.toString());
        }
        spreadViolations();
        for (ObservedLinks.Result result : ObservedLinks.Result.values()) {
            observedLinks(result);
        }
        for (GroupListener.Outcome outcome : GroupListener.Outcome.values()) {
            groupPlans(outcome);
        }
        groupMembersNotBound();
        groupsGivenUp();
        requeues();
        unaskedPods(List.of());
        taskFailures("groups");
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

    /** A certificate without which the bridge cannot be used. */
    public enum Certificate {
        SERVING,
        CLIENT_CA,
        CLIENT
    }

    /**
     * Measures when a certificate expires.
     *
     * @param name of the client; else empty
     * @param expiry absent while it is not known
     */
    public void certificate(Certificate certificate, String name, Supplier<Optional<Instant>> expiry) {
        Gauge.builder(
                        "numaledger_bridge_certificate_expiry_timestamp_seconds",
                        () -> expiry.get()
                                .map(at -> (double) at.getEpochSecond())
                                .orElse(Double.NaN))
                .description("when a certificate expires, in seconds since the epoch")
                .tag("certificate", certificate.name().toLowerCase(Locale.ROOT))
                .tag("name", name)
                .register(registry);
    }

    /** @param reasons the nodes without a complete kubelet model, with the reason */
    public void unmodelledNodes(SortedMap<String, String> reasons) {
        unmodelled.register(
                reasons.entrySet().stream()
                        .<MultiGauge.Row<?>>map(
                                each -> MultiGauge.Row.of(Tags.of("node", each.getKey(), "reason", each.getValue()), 1))
                        .toList(),
                true);
    }

    /** @param resources of the nodes with devices without zones */
    public void devicesWithoutZone(SortedMap<String, String> resources) {
        zoneless.register(
                resources.entrySet().stream()
                        .<MultiGauge.Row<?>>map(each ->
                                MultiGauge.Row.of(Tags.of("node", each.getKey(), "resources", each.getValue()), 1))
                        .toList(),
                true);
    }

    /** @param counts of pods, by node */
    public void podsWithoutRecord(SortedMap<String, String> counts) {
        byNode(unrecorded, counts);
    }

    /** @param counts of pods, by node */
    public void recordsSetAside(SortedMap<String, String> counts) {
        byNode(setAside, counts);
    }

    /** @param nodes whose kubelet needs a second or more to admit a container, with the number 1 */
    public void slowAdmissions(SortedMap<String, String> nodes) {
        byNode(slowAdmission, nodes);
    }

    private static void byNode(MultiGauge gauge, SortedMap<String, String> counts) {
        gauge.register(
                counts.entrySet().stream()
                        .<MultiGauge.Row<?>>map(each ->
                                MultiGauge.Row.of(Tags.of("node", each.getKey()), Integer.parseInt(each.getValue())))
                        .toList(),
                true);
    }

    /** @param last when the scheduler of this name last called filter; absent: it has not */
    public void lastFilterCall(String scheduler, Supplier<Optional<Instant>> last) {
        Gauge.builder(
                        "numaledger_bridge_last_filter_call_timestamp_seconds",
                        () -> last.get().map(at -> (double) at.getEpochSecond()).orElse(Double.NaN))
                .description("when a scheduler last called filter of this replica, in seconds since the epoch")
                .tag("scheduler", scheduler)
                .register(registry);
    }

    /** Pods about which nobody asks the bridge. */
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

    /** Nodes of a filter call with the same result. */
    public void filtered(String result, String reason, int nodes) {
        Counter.builder("numaledger_bridge_filtered_nodes")
                .description("nodes evaluated in filter calls, by result and reason")
                .tag("result", result)
                .tag("reason", reason)
                .register(registry)
                .increment(nodes);
    }

    /** How a bind call ended. */
    public enum BindOutcome {
        BOUND,
        /** Another pod was faster. */
        REFUSED,
        /** The API server did not accept the binding. */
        FAILED
    }

    public void bind(BindOutcome outcome) {
        binds(outcome).increment();
    }

    private Counter binds(BindOutcome outcome) {
        return Counter.builder("numaledger_bridge_binds")
                .description("bind calls by outcome: bound, refused (another pod was faster), failed (API server)")
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    /** An agent observed a pod that had a reservation. */
    public void observed(boolean asPredicted) {
        predictions(asPredicted).increment();
    }

    private Counter predictions(boolean asPredicted) {
        return Counter.builder("numaledger_bridge_predictions")
                .description("predicted placements that were observed, by whether zones and amounts are the same")
                .tag("observed", asPredicted ? "same" : "different")
                .register(registry);
    }

    /** The kubelet rejected a pod that this bridge had bound. */
    public void kubeletRejectedAfterBind(String reason) {
        rejections(reason).increment();
    }

    private Counter rejections(String reason) {
        return Counter.builder("numaledger_bridge_kubelet_rejections_after_bind")
                .description("pods that this bridge bound and a kubelet rejected, by reason")
                .tag("reason", reason)
                .register(registry);
    }

    public void spreadViolated() {
        spreadViolations().increment();
    }

    private Counter spreadViolations() {
        return Counter.builder("numaledger_bridge_spread_violations")
                .description("pods observed over more zones than their annotation allows")
                .register(registry);
    }

    /** The GPUs of a pod that asks for links were observed. */
    public void linksObserved(ObservedLinks.Result result) {
        observedLinks(result).increment();
    }

    private Counter observedLinks(ObservedLinks.Result result) {
        return Counter.builder("numaledger_bridge_gpu_links")
                .description("pods that ask for links between their GPUs, by the links that were observed")
                .tag("observed", result.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    /** A group was planned, or not. */
    public void groupPlanned(GroupListener.Outcome outcome) {
        groupPlans(outcome).increment();
    }

    private Counter groupPlans(GroupListener.Outcome outcome) {
        return Counter.builder("numaledger_bridge_group_plans")
                .description("attempts to plan a group of pods, by outcome")
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    /** A group did not come up in time. */
    public void groupGivenUp() {
        groupsGivenUp().increment();
    }

    private Counter groupsGivenUp() {
        return Counter.builder("numaledger_bridge_groups_given_up")
                .description("gated groups that did not come up in time, so that their pods were evicted")
                .register(registry);
    }

    /** A task that runs again and again has failed; it goes on. */
    public void taskFailed(String task) {
        taskFailures(task).increment();
    }

    private Counter taskFailures(String task) {
        return Counter.builder("numaledger_bridge_task_failures")
                .description("runs of the bridge's periodic tasks that ended in an unexpected error")
                .tag("task", task)
                .register(registry);
    }

    /** A pod of a group was not bound, and others of its group may be. */
    public void groupMemberNotBound() {
        groupMembersNotBound().increment();
    }

    private Counter groupMembersNotBound() {
        return Counter.builder("numaledger_bridge_group_members_not_bound")
                .description("pods of groups that could not be bound when others of their group were")
                .register(registry);
    }

    /** kube-scheduler was asked to retry a pending pod. */
    public void requeued() {
        requeues().increment();
    }

    private Counter requeues() {
        return Counter.builder("numaledger_bridge_requeues")
                .description("pending pods that could run and that kube-scheduler was asked to retry")
                .register(registry);
    }

    /** The same route, timed. */
    public Route timed(String verb, Route route) {
        Timer timer = Timer.builder("numaledger_bridge_request")
                .description("time to answer, by verb")
                .tag("verb", verb)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        return request -> {
            long start = System.nanoTime();
            try {
                return route.answer(request);
            } finally {
                timer.record(Duration.ofNanos(System.nanoTime() - start));
            }
        };
    }

    public Answer scrape(Request request) {
        return new Answer(
                200,
                "text/plain; version=0.0.4; charset=utf-8",
                registry.scrape().getBytes(StandardCharsets.UTF_8));
    }
}
