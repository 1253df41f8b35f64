package io.numaledger.bridge.run;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.numaledger.bridge.run.NodeProblems.Problem;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.Unmodelled;
import io.numaledger.kubelet.AdmissionEffort;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.scheduling.state.ClusterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reports what operators should look at on nodes: those without a complete kubelet model, those whose devices have no zones, those
 * where pods run without a record, and those whose kubelet needs long to admit a pod. For one thread.
 */
final class ModelReporter {

    private static final Logger log = LoggerFactory.getLogger(ModelReporter.class);
    private static final String PARTIAL = "partial";

    /** An agent writes a record within a second; another exporter within its interval. */
    static final Duration RECORD_EXPECTED_AFTER = Duration.ofSeconds(60);

    private final InstantSource clock;
    private final NodeProblems unmodelled;
    private final NodeProblems zoneless;
    private final NodeProblems unrecorded;
    private final NodeProblems contradicted;
    private final NodeProblems slow;

    ModelReporter(MeterRegistry registry, InstantSource clock) {
        this.clock = clock;
        this.unmodelled = unmodelled(registry);
        this.zoneless = zoneless(registry);
        this.unrecorded = unrecorded(registry);
        this.contradicted = contradicted(registry);
        this.slow = slow(registry);
    }

    private static NodeProblems unmodelled(MeterRegistry registry) {
        return new NodeProblems(
                gauge(
                        registry,
                        "numaledger_bridge_unmodelled_node",
                        "1 for each node without a complete kubelet model"),
                "reason",
                (node, problem, nodes) -> log.warn(
                        "event=node.unmodelled node={} reason={} message=\"{}\" nodes={}",
                        node,
                        problem.reason(),
                        problem.message(),
                        nodes),
                "event=node.modelled node={} nodes={}");
    }

    private static NodeProblems zoneless(MeterRegistry registry) {
        return new NodeProblems(
                gauge(
                        registry,
                        "numaledger_bridge_devices_without_zone",
                        "1 for each node whose kubelet aligns strictly and that has devices which no zone lists"),
                "resources",
                (node, problem, nodes) -> log.warn(
                        "event=node.device_without_zone node={} resources={} nodes={}", node, problem.reason(), nodes),
                "event=node.devices_have_zones node={} nodes={}");
    }

    private static NodeProblems unrecorded(MeterRegistry registry) {
        return new NodeProblems(
                gauge(
                        registry,
                        "numaledger_bridge_pods_without_record",
                        "aligned pods that have run for a minute without an observed placement, by node"),
                "",
                (node, problem, nodes) -> log.warn(
                        "event=node.pods_without_record node={} pods={} nodes={}", node, problem.message(), nodes),
                "event=node.pods_recorded node={} nodes={}");
    }

    private static NodeProblems contradicted(MeterRegistry registry) {
        return new NodeProblems(
                gauge(
                        registry,
                        "numaledger_bridge_records_set_aside",
                        "pods whose records name more than the agent's zones show as held, by node"),
                "",
                (node, problem, nodes) -> log.warn(
                        "event=node.records_set_aside node={} pods={} nodes={}", node, problem.message(), nodes),
                "event=node.records_agree node={} nodes={}");
    }

    private static NodeProblems slow(MeterRegistry registry) {
        return new NodeProblems(
                gauge(
                        registry,
                        "numaledger_bridge_slow_admission",
                        "1 for each node whose kubelet itself needs a second or more to admit a container"),
                "",
                (node, problem, nodes) -> log.warn(
                        "event=node.slow_admission node={} message=\"{}\" nodes={}", node, problem.message(), nodes),
                "event=node.quick_admission node={} nodes={}");
    }

    private static Optional<MultiGauge> gauge(MeterRegistry registry, String name, String description) {
        return Optional.of(MultiGauge.builder(name).description(description).register(registry));
    }

    /** @param models of all nodes, by name */
    void report(SortedMap<String, NodeModel> models) {
        SortedMap<String, Problem> incomplete = new TreeMap<>();
        SortedMap<String, Problem> withoutZone = new TreeMap<>();
        models.forEach((node, model) -> {
            if (model.unmodelled().isPresent()) {
                Unmodelled why = model.unmodelled().get();
                incomplete.put(node, new Problem(why.kind().toString(), why.message()));
            } else if (!model.leftOut().isEmpty()) {
                incomplete.put(
                        node,
                        new Problem(
                                PARTIAL,
                                "left out: "
                                        + model.leftOut().stream()
                                                .map(resource -> "resource=" + resource)
                                                .collect(Collectors.joining(", "))));
            }
            String devices = devicesWithoutZone(model);
            if (!devices.isEmpty()) {
                withoutZone.put(node, new Problem(devices, devices));
            }
        });
        unmodelled.report(incomplete);
        zoneless.report(withoutZone);
    }

    /**
     * Reports nodes whose kubelet itself needs long to admit a pod. Looks at all devices: call it every ten seconds or so.
     *
     * @param models of all nodes, by name
     */
    void reportSlowKubelets(SortedMap<String, NodeModel> models) {
        SortedMap<String, Problem> slowly = new TreeMap<>();
        models.forEach((node, model) -> model.kubelet()
                .flatMap(kubelet -> AdmissionEffort.of(kubelet).warning())
                .ifPresent(warning -> slowly.put(node, new Problem("", warning))));
        slow.report(slowly);
    }

    /** Devices without a zone, only where the kubelet would refuse a pod because of them. */
    private static String devicesWithoutZone(NodeModel model) {
        boolean strict = model.kubelet()
                .filter(kubelet -> kubelet.rules().topologyPolicy() == TopologyPolicyName.RESTRICTED
                        || kubelet.rules().topologyPolicy() == TopologyPolicyName.SINGLE_NUMA_NODE)
                .isPresent();
        return model.assumptions().stream()
                .filter(each -> strict && each.kind() == Assumption.Kind.NO_DEVICE_PLUGIN)
                .map(each -> each.about().orElse("").replace("resource=", ""))
                .sorted()
                .collect(Collectors.joining(","));
    }

    /**
     * Reports aligned pods that have run for long and have no record, and those whose records are set aside. Looks at all pods: call it
     * every ten seconds or so.
     */
    void reportPods(ClusterState cluster) {
        Instant before = clock.instant().minus(RECORD_EXPECTED_AFTER);
        SortedMap<String, Problem> late = new TreeMap<>();
        SortedMap<String, Problem> setAside = new TreeMap<>();
        cluster.models().forEach((node, model) -> {
            boolean aligns = model.kubelet()
                    .filter(kubelet -> kubelet.rules().topologyPolicy() != TopologyPolicyName.NONE)
                    .isPresent();
            List<String> pods = aligns
                    ? cluster.podsOn(node).stream()
                            .filter(pod -> isLate(pod, before))
                            .map(PodFacts::key)
                            .sorted()
                            .toList()
                    : List.of();
            put(late, node, pods);
            put(setAside, node, List.copyOf(cluster.recordsSetAside(node)));
        });
        unrecorded.report(late);
        contradicted.report(setAside);
    }

    private static void put(SortedMap<String, Problem> problems, String node, List<String> pods) {
        if (!pods.isEmpty()) {
            problems.put(node, new Problem("", pods.size(), shortened(pods)));
        }
    }

    private static boolean isLate(PodFacts pod, Instant before) {
        return pod.running()
                && pod.needsAlignment()
                && !pod.observed()
                && pod.startedAt().filter(before::isAfter).isPresent();
    }

    private static String shortened(List<String> pods) {
        return pods.size() <= 3
                ? String.join(",", pods)
                : String.join(",", pods.subList(0, 3)) + " and %d more".formatted(pods.size() - 3);
    }
}
