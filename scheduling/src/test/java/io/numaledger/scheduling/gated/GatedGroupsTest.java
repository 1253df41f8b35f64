package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlannedNode;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlace;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each node has two zones of 4 CPUs: two pods of 3 CPUs fit. What is written comes back as an event. */
class GatedGroupsTest {

    private static final String GATE = "  schedulingGates: [{name: numaledger.io/group}]";

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster(SnapshotSettings.DEFAULT, (pod, reservation) -> {}, () -> now);
    private final Map<String, String> released = new TreeMap<>();
    private final List<String> evicted = new ArrayList<>();
    private final List<String> reports = new ArrayList<>();
    private final Set<String> failing = new TreeSet<>();
    private DisruptionBudgets budgets = DisruptionBudgets.NONE;
    private GatedGroups groups = start();

    private GatedGroups start() {
        return new GatedGroups(
                cluster.state,
                new PodGroups(),
                new PlanReservations(cluster.state),
                new Writer(),
                new Reports(),
                () -> now,
                GatedGroups.Settings.of(Set.of("default-scheduler")),
                Optional.of(new GroupPreemption(cluster.state, () -> budgets)));
    }

    private final class Writer implements GroupWriter {

        @Override
        public void release(PodFacts pod, String node, Optional<TopologyPlace> place) throws IOException {
            if (failing.contains(pod.name())) {
                throw new IOException("the API server does not answer");
            }
            if (pod.name().startsWith("deep")) {
                throw new StackOverflowError();
            }
            released.put(pod.name(), node);
            cluster.apply(pod(pod, "numaledger.io/planned-node: " + node, "", "Pending"));
        }

        /** Its containers take some time to end. */
        @Override
        public void preempt(PodFacts victim) {
            evicted.add(victim.name());
            String cpus = victim.name().equals("x") ? "1-4" : "5-8";
            cluster.apply(
                    ClusterYaml.terminating(ClusterYaml.running(victim.name(), "a", "cpu: \"4\", memory: 1Gi", cpus)));
        }

        @Override
        public void evict(PodFacts pod) {
            evicted.add(pod.name());
            cluster.deletePod(pod.name());
        }
    }

    private final class Reports implements GroupListener {

        @Override
        public void planned(Group group, Outcome outcome, int needed, PlanningResult result) {
            reports.add("%s %s %d of %d".formatted(group.name().name(), outcome, result.placeable(), needed));
        }

        @Override
        public void sizeUnknown(Group group) {
            reports.add(group.name().name() + " has no size");
        }

        @Override
        public void invalid(Group group, String why) {
            reports.add(group.name().name() + " " + why);
        }

        @Override
        public void failed(Group group, Throwable failure) {
            reports.add("%s failed: %s".formatted(group.name().name(), failure));
        }

        @Override
        public void gaveUp(Group group, int placed, int least) {
            reports.add("%s gave up %d of %d".formatted(group.name().name(), placed, least));
        }
    }

    /** Pods that are planned and have no node are tied to the planned one. */
    private static String pod(PodFacts pod, String annotations, String spec, String phase) {
        String planned = annotations.substring(annotations.lastIndexOf(' ') + 1);
        String constraints = spec.isEmpty() && !planned.isEmpty() ? GatedCluster.tiedTo(planned) : spec;
        return ClusterYaml.pod(
                pod.name(),
                "cpu: \"%d\", memory: 1Gi"
                        .formatted(pod.request()
                                        .containers()
                                        .get(0)
                                        .resources()
                                        .requests()
                                        .get("cpu")
                                        .millis()
                                / 1000),
                ", labels: {numaledger.io/pod-group: %s}, annotations: {numaledger.io/min-member: \"%d\"%s}"
                        .formatted(
                                pod.group().group().orElseThrow().name(),
                                pod.group().minMember().orElseThrow(),
                                annotations.isEmpty() ? "" : ", " + annotations),
                constraints,
                ", phase: " + phase);
    }

    private void create(String group, int least, int pods, int cpus) {
        create(group, least, 0, pods, cpus);
    }

    private void create(String group, int least, int from, int to, int cpus) {
        IntStream.range(from, to)
                .forEach(i -> cluster.apply(ClusterYaml.pod(
                        group + "-" + i,
                        "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                        ", creationTimestamp: \"%s\", labels: {numaledger.io/pod-group: %s}, annotations: {numaledger.io/min-member: \"%d\"}"
                                .formatted(now, group, least),
                        GATE,
                        ", phase: Pending")));
    }

    /** kube-scheduler binds a released pod, and it runs. */
    private void run(String pod) {
        PodFacts facts = cluster.state.pods().get("default/" + pod).orElseThrow();
        String node = facts.annotation(PodFacts.PLANNED_NODE).orElseThrow();
        boolean bound = cluster.state
                .binds()
                .bind(node, facts, evaluation -> evaluation.orElseThrow().admits());
        assertThat(bound).isTrue();
        cluster.apply(pod(facts, "numaledger.io/planned-node: " + node, "  nodeName: " + node, "Running"));
    }

    /** Another process leads from now on, which knows nothing but the objects. */
    private void restart() {
        List.of("a", "b")
                .forEach(node -> cluster.state.reserved().planned(node).stream()
                        .toList()
                        .forEach(each -> cluster.state.reserved().removePlanned(node, each.pod())));
        groups = start();
    }

    private void pass(Duration time) {
        now = now.plus(time);
        groups.check();
    }

    @Test
    void aGroupIsReleasedWholeWhenItFits() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        create("g", 4, 3, 3);
        groups.check();
        assertThat(released).as("one is missing").isEmpty();

        create("g", 4, 3, 4, 3);
        groups.check();

        assertThat(released).isEqualTo(Map.of("g-0", "a", "g-1", "a", "g-2", "b", "g-3", "b"));
        assertThat(reports).containsExactly("g PLANNED 4 of 4");
        IntStream.range(0, 4).forEach(i -> run("g-" + i));
        groups.check();
        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
        assertThat(evicted).isEmpty();
    }

    @Test
    void aGroupThatDoesNotFitKeepsItsGatesAndIsNotPlannedAgainBeforeSomethingChanges() {
        cluster.apply(ClusterYaml.node("a"));
        create("g", 3, 3, 3);

        groups.check();
        groups.check();

        assertThat(released).isEmpty();
        assertThat(reports).containsExactly("g REFUSED 2 of 3");

        cluster.apply(ClusterYaml.node("b"));
        groups.check();
        assertThat(released).hasSize(3);
    }

    @Test
    void nodesAreKeptUntilThePodsAreBound() {
        cluster.apply(ClusterYaml.node("a"));
        create("g", 2, 2, 3);
        groups.check();

        PodFacts other = ClusterYaml.pending("other", "cpu: 4, memory: 1Gi");
        assertThat(cluster.state.reserved().refusal("a", other, new EvaluationBudget(1_000_000_000)))
                .isPresent();

        restart();
        groups.check();
        assertThat(cluster.state.reserved().refusal("a", other, new EvaluationBudget(1_000_000_000)))
                .isPresent();
    }

    /** Who can write a pod can write where it is planned: that must not keep a node for ever. */
    @Test
    void nodesAreNotKeptForEverForPodsThatSayTheyArePlanned() {
        cluster.apply(ClusterYaml.node("a"));
        cluster.apply(ClusterYaml.pod(
                "forged",
                "cpu: \"4\", memory: 1Gi",
                ", labels: {numaledger.io/pod-group: g}, annotations: {numaledger.io/min-member: \"1\", numaledger.io/planned-node: a}",
                GatedCluster.tiedTo("a"),
                ", phase: Pending"));
        groups.check();
        assertThat(cluster.state.reserved().planned("a")).hasSize(1);

        pass(Duration.ofMinutes(2));

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    /** The last step of a plan before the process that carries it out is killed. */
    private enum Step {
        CREATED,
        FIRST_RELEASED,
        ALL_RELEASED,
        FIRST_BOUND
    }

    /** On nodes a and b, four pods of 3 CPUs that need each other. */
    private void crashAfter(Step step) {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        create("g", 4, 4, 3);
        switch (step) {
            case CREATED -> {}
            case FIRST_RELEASED -> {
                failing.addAll(Set.of("g-1", "g-2", "g-3"));
                groups.check();
                assertThat(released).containsOnlyKeys("g-0");
                failing.clear();
            }
            case ALL_RELEASED -> groups.check();
            case FIRST_BOUND -> {
                groups.check();
                run("g-0");
            }
        }
        restart();
    }

    @ParameterizedTest
    @EnumSource
    void aPlanIsFinishedAfterACrash(Step step) {
        crashAfter(step);

        groups.check();

        assertThat(released).containsOnlyKeys("g-0", "g-1", "g-2", "g-3");
        assertThat(released.values()).containsExactlyInAnyOrder("a", "a", "b", "b");
        IntStream.range(step == Step.FIRST_BOUND ? 1 : 0, 4).forEach(i -> run("g-" + i));
        pass(Duration.ofMinutes(3));
        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
        assertThat(evicted).isEmpty();
    }

    /** While no process led, other pods took the place of two of them. */
    @ParameterizedTest
    @EnumSource
    void aPlanThatFitsNoLongerIsUndoneAfterACrash(Step step) {
        crashAfter(step);
        cluster.apply(
                ClusterYaml.running("x", "b", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "b", "cpu: \"4\", memory: 1Gi", "5-8"));

        groups.check();
        runIfReleased("g-0", "g-1");
        refuse("g-2", "g-3");
        pass(Duration.ofSeconds(1));
        pass(Duration.ofMinutes(2));
        assertThat(cluster.state.reserved().planned("b"))
                .as("reserved for a group that waits, if at all")
                .allMatch(each -> each.pod().group().awaitsPlan());
        IntStream.range(2, 4).filter(i -> evicted.contains("g-" + i)).forEach(i -> create("g", 4, i, i + 1, 3));
        pass(Duration.ofSeconds(1));
        pass(Duration.ofMinutes(2));

        assertThat(cluster.state.pods().ofGroup(new PodGroupName(PodGroupName.Kind.LABEL, "default", "g")))
                .as("nobody runs or is tied to a node")
                .allMatch(pod -> pod.group().awaitsPlan());
    }

    private void runIfReleased(String... pods) {
        for (String pod : pods) {
            PodFacts facts = cluster.state.pods().get("default/" + pod).orElseThrow();
            if (facts.node().isEmpty() && !facts.group().awaitsPlan()) {
                run(pod);
            }
        }
    }

    /** The scheduler finds no place for those of them that have no gate. */
    private void refuse(String... pods) {
        for (String pod : pods) {
            PodFacts facts = cluster.state.pods().get("default/" + pod).orElseThrow();
            if (!facts.group().awaitsPlan()) {
                cluster.apply(
                        pod(
                                facts,
                                "numaledger.io/planned-node: "
                                        + PlannedNode.of(facts).orElseThrow(),
                                "",
                                "Pending, conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no}]"));
            }
        }
    }

    @Test
    void aGroupThatDoesNotComeUpInTimeReleasesEverything() {
        cluster.apply(ClusterYaml.node("a"));
        create("g", 2, 2, 3);
        failing.add("g-1");
        groups.check();
        run("g-0");

        cluster.apply(ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "5-8"));
        pass(Duration.ofSeconds(1));
        pass(Duration.ofMinutes(3));

        assertThat(evicted).containsExactly("g-0");
        assertThat(reports).endsWith("g gave up 1 of 2");
    }

    @Test
    void aPodThatNoSchedulerBindsIsEvictedAndItsNodeIsBarred() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        create("g", 2, 2, 3);
        groups.check();
        assertThat(released.values()).containsOnly("a");
        run("g-0");
        PodFacts waiting = cluster.state.pods().get("default/g-1").orElseThrow();

        pass(Duration.ofMinutes(1));
        assertThat(evicted).as("no scheduler has tried it").isEmpty();

        cluster.apply(pod(
                waiting,
                "numaledger.io/planned-node: a",
                "",
                "Pending, conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: no}]"));
        pass(Duration.ofSeconds(1));
        pass(Duration.ofSeconds(40));
        assertThat(evicted).containsExactly("g-1");

        create("g", 2, 2, 3, 3);
        groups.check();
        assertThat(released).containsEntry("g-2", "b");
    }

    @Test
    void aNodeWhoseKubeletRefusedAPodIsBarred() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        create("g", 2, 2, 3);
        groups.check();
        run("g-0");
        PodFacts refused = cluster.state.pods().get("default/g-1").orElseThrow();
        cluster.apply(pod(
                refused, "numaledger.io/planned-node: a", "  nodeName: a", "Failed, reason: TopologyAffinityError"));

        create("g", 2, 2, 3, 3);
        groups.check();

        assertThat(released).containsEntry("g-2", "b");
    }

    /** The pods of a Job do not end at the same time. */
    @Test
    void podsThatHaveSucceededAreNotMissing() {
        cluster.apply(ClusterYaml.node("a"));
        create("g", 2, 2, 3);
        groups.check();
        run("g-0");
        run("g-1");
        PodFacts done = cluster.state.pods().get("default/g-1").orElseThrow();
        cluster.apply(pod(done, "numaledger.io/planned-node: a", "  nodeName: a", "Succeeded"));

        pass(Duration.ofSeconds(1));
        pass(Duration.ofMinutes(3));
        assertThat(evicted).isEmpty();

        cluster.deletePod("g-1");
        pass(Duration.ofSeconds(1));
        pass(Duration.ofMinutes(3));
        assertThat(evicted).as("nobody waits for a place").isEmpty();
    }

    /** They are kept until their Job is deleted, and the next one may have the same label. */
    @Test
    void podsOfAnEarlierJobThatHaveSucceededDoNotCount() {
        cluster.apply(ClusterYaml.node("a"));
        String meta = ", labels: {numaledger.io/pod-group: g, batch.kubernetes.io/controller-uid: uid-%s}"
                + ", annotations: {numaledger.io/min-member: \"3\"}";
        IntStream.range(0, 3)
                .forEach(i -> cluster.apply(
                        ClusterYaml.pod(
                                "first-" + i,
                                "cpu: \"3\", memory: 1Gi",
                                meta.formatted("first"),
                                "  nodeName: a",
                                ", phase: Succeeded"),
                        ClusterYaml.pod(
                                "second-" + i,
                                "cpu: \"3\", memory: 1Gi",
                                meta.formatted("second"),
                                GATE,
                                ", phase: Pending")));

        groups.check();

        assertThat(released).as("two of three fit").isEmpty();
        assertThat(reports).containsExactly("g REFUSED 2 of 3");
    }

    @Test
    void theReplacementOfALostPodIsPlanned() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        create("g", 2, 2, 3);
        groups.check();
        run("g-0");
        run("g-1");

        cluster.deletePod("g-1");
        create("g", 2, 2, 3, 3);
        groups.check();

        assertThat(released).containsKey("g-2");
    }

    @Test
    void aLargeGroupThatHasWaitedForLongIsNotPassedAnyMore() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"));
        create("large", 2, 2, 4);
        groups.check();
        now = now.plusSeconds(1);
        create("small", 1, 1, 2);
        groups.check();
        assertThat(released).as("a smaller group may pass").containsOnlyKeys("small-0");
        cluster.deletePod("small-0");
        released.clear();

        pass(Duration.ofMinutes(2));
        create("second", 1, 1, 2);
        groups.check();
        assertThat(released).isEmpty();

        cluster.deletePod("x");
        groups.check();
        assertThat(released).containsOnlyKeys("large-0", "large-1");
    }

    private void createImportant(String group, int least, int pods, int cpus) {
        IntStream.range(0, pods)
                .forEach(i -> cluster.apply(ClusterYaml.pod(
                        group + "-" + i,
                        "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                        ", labels: {numaledger.io/pod-group: %s}, annotations: {numaledger.io/min-member: \"%d\"}"
                                .formatted(group, least),
                        "  priority: 10\n" + GATE,
                        ", phase: Pending")));
    }

    @Test
    void podsOfLowerPriorityEndForAGroupAndTheirPlaceIsKept() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "a", "cpu: \"4\", memory: 1Gi", "5-8"));
        createImportant("g", 1, 1, 3);

        groups.check();
        pass(Duration.ofSeconds(1));

        assertThat(evicted).hasSize(1);
        assertThat(released).as("the victim has not ended").isEmpty();
        PodFacts other = ClusterYaml.pending("other", "cpu: 2, memory: 1Gi");

        cluster.deletePod(evicted.get(0));
        assertThat(cluster.state.reserved().refusal("a", other, new EvaluationBudget(1_000_000_000)))
                .isPresent();
        pass(Duration.ofSeconds(1));
        assertThat(released).containsOnlyKeys("g-0");
        assertThat(evicted).hasSize(1);
    }

    @Test
    void podsOfEqualPriorityAndBudgetsAreRespected() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "a", "cpu: \"4\", memory: 1Gi", "5-8"));
        create("equal", 1, 1, 3);
        groups.check();
        assertThat(evicted).isEmpty();

        budgets = new DisruptionBudgets(List.of(
                new DisruptionBudget("default", "all", Optional.of(new LabelSelector(List.of(), Map.of())), 0)));
        createImportant("g", 1, 1, 3);
        groups.check();
        assertThat(evicted).isEmpty();
    }

    /** Everybody who can write pods can write this. */
    @Test
    void aPodWithAnInvalidAnnotationConcernsItsOwnGroupOnly() {
        cluster.apply(ClusterYaml.node("a"));
        String labels = ", labels: {numaledger.io/pod-group: bad}, annotations: {numaledger.io/min-member: \"1\""
                + ", kai.scheduler/max-numa-spread: x%s}";
        cluster.apply(
                ClusterYaml.pod("b-0", "cpu: \"3\", memory: 1Gi", labels.formatted(""), GATE, ", phase: Pending"),
                ClusterYaml.pod(
                        "b-1",
                        "cpu: \"3\", memory: 1Gi",
                        labels.formatted(", numaledger.io/planned-node: a"),
                        GatedCluster.tiedTo("a"),
                        ", phase: Pending"));
        create("good", 1, 1, 3);

        groups.check();

        assertThat(released).containsOnlyKeys("good-0");
        assertThat(reports)
                .anyMatch(report -> report.contains("bad invalid annotation: kai.scheduler/max-numa-spread"));
        assertThat(cluster.state
                        .reserved()
                        .refusal(
                                "a",
                                ClusterYaml.pending("other", "cpu: 1, memory: 1Gi"),
                                new EvaluationBudget(1_000_000_000)))
                .as("filter calls for other pods are answered")
                .isEmpty();
    }

    @Test
    void anErrorConcernsItsOwnGroupOnly() {
        cluster.apply(ClusterYaml.node("a"));
        create("deep", 1, 1, 3);
        create("good", 1, 1, 3);

        groups.check();

        assertThat(released).containsOnlyKeys("good-0");
        assertThat(reports).contains("deep failed: java.lang.StackOverflowError");
    }

    /** Else one important pod would evict others for all pods of its group. */
    @Test
    void theLeastImportantPodOfAGroupDecidesWhoIsEvicted() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "a", "cpu: \"4\", memory: 1Gi", "5-8"));
        createImportant("g", 2, 1, 3);
        create("g", 2, 1, 2, 3);

        groups.check();

        assertThat(evicted).isEmpty();
    }

    /** A budget, or another reason that ends. */
    @Test
    void aGroupForWhichNodesAreKeptStillPreempts() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"));
        budgets = new DisruptionBudgets(List.of(
                new DisruptionBudget("default", "all", Optional.of(new LabelSelector(List.of(), Map.of())), 0)));
        createImportant("g", 2, 2, 4);
        groups.check();
        pass(Duration.ofMinutes(2));
        assertThat(cluster.state.reserved().planned("a"))
                .as("reserved for the group")
                .hasSize(2);

        budgets = DisruptionBudgets.NONE;
        pass(Duration.ofMinutes(1));

        assertThat(evicted).containsExactly("x");
    }

    /** Their containers may need long to end. */
    @Test
    void nobodyIsEvictedWhileTerminatingPodsLeaveEnough() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.running("x", "a", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "a", "cpu: \"4\", memory: 1Gi", "5-8"));
        createImportant("g", 1, 1, 3);
        groups.check();
        assertThat(evicted).hasSize(1);

        pass(Duration.ofMinutes(3));
        pass(Duration.ofMinutes(3));

        assertThat(evicted).hasSize(1);
        assertThat(cluster.state.reserved().planned("a"))
                .as("the place is reserved")
                .hasSize(1);
    }

    /** Not everything that decides is an event. */
    @Test
    void aGroupIsPlannedAgainWhenItsNodeIsNotBarredAnyMore() {
        cluster.apply(ClusterYaml.node("a"));
        create("g", 1, 1, 3);
        groups.check();
        PodFacts refused = cluster.state.pods().get("default/g-0").orElseThrow();
        cluster.apply(pod(
                refused, "numaledger.io/planned-node: a", "  nodeName: a", "Failed, reason: TopologyAffinityError"));
        create("g", 1, 1, 2, 3);
        groups.check();
        groups.check();
        assertThat(released).doesNotContainKey("g-1");

        pass(Duration.ofMinutes(2));
        pass(GroupUpkeep.BARRED);

        assertThat(released).containsEntry("g-1", "a");
    }

    /** Else everybody who can write a pod keeps a node for it for ever. */
    @Test
    void nodesAreNotKeptForAPodThatHasLeftItsGroup() {
        cluster.apply(ClusterYaml.node("a"));
        create("g", 1, 1, 3);
        groups.check();
        assertThat(cluster.state.reserved().planned("a")).hasSize(1);

        cluster.apply(ClusterYaml.pod("g-0", "cpu: \"3\", memory: 1Gi", "", "", ", phase: Pending"));
        groups.check();

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    @Test
    void aReplicaThatDoesNotLeadAnyMoreKeepsNoNodes() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.node("b"),
                ClusterYaml.running("x", "b", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("y", "b", "cpu: \"4\", memory: 1Gi", "5-8"));
        create("small", 1, 1, 1);
        create("large", 3, 3, 3);
        groups.check();
        pass(Duration.ofSeconds(90));
        assertThat(cluster.state.reserved().planned("a"))
                .as("a released pod, and two for which nodes are kept")
                .hasSize(3);

        groups.stop();

        assertThat(cluster.state.reserved().hasPlanned()).isFalse();
    }

    @Test
    void aGroupWithoutSizeIsReported() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.pod("p", "cpu: \"3\", memory: 1Gi", ", labels: {numaledger.io/pod-group: g}", GATE, ""));

        groups.check();

        assertThat(reports).containsExactly("g has no size");
    }
}
