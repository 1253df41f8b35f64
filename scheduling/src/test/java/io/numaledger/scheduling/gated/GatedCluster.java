package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlace;
import io.numaledger.scheduling.preemption.DisruptionBudgets;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** A cluster with gated groups, whose time is set. What is written comes back as an event. */
final class GatedCluster {

    static final GatedGroups.Settings SETTINGS = GatedGroups.Settings.of(Set.of("default-scheduler"));
    static final String GATE = "  schedulingGates: [{name: numaledger.io/group}]";

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    final TestCluster cluster = new TestCluster(SnapshotSettings.DEFAULT, (pod, reservation) -> {}, () -> now);

    /** Pod → its planned node. */
    final Map<String, String> released = new TreeMap<>();

    final Set<String> evicted = new TreeSet<>();
    private final Map<String, String> documents = new TreeMap<>();
    final GatedGroups groups;

    GatedCluster() {
        this(false);
    }

    /** @param preempting whether pods are evicted for groups of higher priority */
    GatedCluster(boolean preempting) {
        this.groups = new GatedGroups(
                cluster.state,
                new PodGroups(),
                new PlanReservations(cluster.state),
                new Writer(),
                new GroupListener() {},
                () -> now,
                SETTINGS,
                Optional.of(new GroupPreemption(cluster.state, () -> DisruptionBudgets.NONE))
                        .filter(any -> preempting));
    }

    private final class Writer implements GroupWriter {

        @Override
        public void release(PodFacts pod, String node, Optional<TopologyPlace> place) {
            released.put(pod.name(), node);
            String document = documents
                    .get(pod.name())
                    .replace(GATE, tiedTo(node))
                    .replace("annotations: {", "annotations: {numaledger.io/planned-node: " + node + ", ");
            documents.put(pod.name(), document);
            cluster.apply(document);
        }

        @Override
        public void evict(PodFacts pod) {
            evicted.add(pod.name());
            cluster.state.podDeleted(pod);
        }

        @Override
        public void preempt(PodFacts victim) {
            evicted.add(victim.name());
            cluster.apply(ClusterYaml.terminating(documents.get(victim.name())));
        }
    }

    /** The node affinity with which a pod is released. */
    static String tiedTo(String node) {
        return "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: ["
                + "{matchFields: [{key: metadata.name, operator: In, values: [%s]}]}]}}}".formatted(node);
    }

    /** Nodes with two zones of 4 CPUs. */
    void nodes(String... names) {
        for (String name : names) {
            cluster.apply(ClusterYaml.node(name));
        }
    }

    /** A pod that fills a zone, 0 or 1. */
    void fill(String node, int zone) {
        String cpus = zone == 0 ? "1-4" : "5-8";
        String document = ClusterYaml.running(node + zone, node, "cpu: \"4\", memory: 1Gi", cpus);
        documents.put(node + zone, document);
        cluster.apply(document);
    }

    /** Its scheduler does not bind a released pod. */
    void refuse(String pod) {
        cluster.apply(
                documents
                        .get(pod)
                        .replace(
                                "phase: Pending",
                                "phase: Pending, conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no}]"));
    }

    /** The waiting pods of a group, each with 3 CPUs. */
    void create(String namespace, String group, int least, int pods, int priority) {
        createOf(namespace, group, least, pods, 3, priority);
    }

    /** The same with another number of CPUs. */
    void createOf(String namespace, String group, int least, int pods, int cpus, int priority) {
        IntStream.range(0, pods).forEach(i -> {
            String name = group + "-" + i;
            String document = ClusterYaml.pod(
                            name,
                            "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                            ", creationTimestamp: \"%s\", labels: {numaledger.io/pod-group: %s}, annotations: {numaledger.io/min-member: \"%d\"}"
                                    .formatted(now, group, least),
                            GATE + "\n  priority: " + priority,
                            ", phase: Pending")
                    .replace("namespace: default", "namespace: " + namespace);
            documents.put(name, document);
            cluster.apply(document);
        });
    }

    static PodFacts newcomer(int priority) {
        return ClusterYaml.parsePod(
                ClusterYaml.pod("newcomer", "cpu: \"3\", memory: 1Gi", "", "  priority: " + priority, ""));
    }

    /** Whether a new pod is refused on a node, by filter and by bind alike. */
    boolean refuses(String node, int priority) {
        boolean filtered = cluster.state
                .reserved()
                .refusal(node, newcomer(priority), new EvaluationBudget(1_000_000_000))
                .isPresent();
        if (cluster.binds(node, newcomer(priority)) == filtered) {
            throw new AssertionError("filter and bind differ");
        }
        return filtered;
    }

    Instant now() {
        return now;
    }

    void pass(Duration time) {
        now = now.plus(time);
        groups.check();
    }
}
