package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.pod.PodRequest;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each node has two zones of 4 CPUs and a GPU. */
class GroupPlannerTest {

    private static final int STEPS = 20_000;

    private final TestCluster cluster = new TestCluster();
    private final GroupPlanner planner = new GroupPlanner(cluster.state.claims(), STEPS);

    private List<GroupNode> nodes() {
        return IntStream.range(0, cluster.state.index().size())
                .mapToObj(cluster.state.index()::name)
                .map(name -> GroupNode.now(
                        cluster.state
                                .use(name, new EvaluationBudget(1_000_000_000))
                                .orElseThrow(),
                        any -> true))
                .toList();
    }

    private static List<PodFacts> pods(String... limits) {
        List<PodFacts> pods = new ArrayList<>();
        for (String each : limits) {
            pods.add(ClusterYaml.pending("p" + pods.size(), each + ", memory: 1Gi"));
        }
        return pods;
    }

    private PlanningResult plan(List<PodFacts> pods, int least) {
        return planner.plan(pods, least, nodes(), any -> Set.of());
    }

    private static Map<String, Integer> sizes(GroupPlan plan) {
        Map<String, Integer> sizes = new LinkedHashMap<>();
        plan.byNode().forEach((node, pods) -> sizes.put(node, pods.size()));
        return sizes;
    }

    /** Nodes a and b differ in nothing but the port. */
    @Test
    void triesANodeWhosePortIsFreeAfterOneWhereItIsTaken() {
        String port = "image: x, ports: [{containerPort: 80, hostPort: 80}],";
        String running = ClusterYaml.running("on-a", "a", "cpu: \"1\", memory: 1Gi", "1");
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.node("b"),
                running.replace("image: x,", port),
                running.replace("on-a", "on-b").replace("nodeName: a", "nodeName: b"));
        List<PodFacts> members = List.of(
                ClusterYaml.parsePod(ClusterYaml.pod("with", "cpu: \"1\", memory: 1Gi", "", "", "")
                        .replace("image: x,", port)),
                ClusterYaml.pending("without", "cpu: \"2\", memory: 1Gi"));

        assertThat(plan(members, 2).plan().orElseThrow().on("b"))
                .extracting(PodFacts::name)
                .contains("with");
    }

    /** By division, two nodes of 8 CPUs would take five pods of 3. */
    @Test
    void countsPodsThatReallyFit() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));

        List<PodFacts> five = pods("cpu: 3", "cpu: 3", "cpu: 3", "cpu: 3", "cpu: 3");
        assertThat(plan(five, 5).plan()).isEmpty();
        assertThat(plan(five, 5).placeable()).isEqualTo(4);
        assertThat(sizes(plan(five, 4).plan().orElseThrow())).isEqualTo(Map.of("a", 2, "b", 2));
    }

    @Test
    void fillsFewNodesAndTakesTheTightestForTheRest() {
        cluster.apply(
                ClusterYaml.node("a"),
                ClusterYaml.node("b"),
                ClusterYaml.node("c"),
                ClusterYaml.running("x", "c", "cpu: \"4\", memory: 1Gi", "1-4"));

        assertThat(sizes(plan(pods("cpu: 4", "cpu: 4", "cpu: 4"), 3).plan().orElseThrow()))
                .isEqualTo(Map.of("a", 2, "c", 1));
    }

    @Test
    void podsOfDifferentSizesAreTriedWithBacktracking() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));

        List<PodFacts> mixed = pods("cpu: 1", "cpu: 4", "cpu: 3", "cpu: 4", "cpu: 2", "cpu: 2");
        assertThat(plan(mixed, 6).plan().orElseThrow().size()).isEqualTo(6);
        assertThat(plan(pods("cpu: 1", "cpu: 4", "cpu: 4", "cpu: 4", "cpu: 4"), 5)
                        .plan())
                .isEmpty();
        assertThat(plan(pods("cpu: 1", "cpu: 4", "cpu: 4", "cpu: 4", "cpu: 4"), 4)
                        .plan()
                        .orElseThrow()
                        .size())
                .isEqualTo(4);
    }

    /** Counts are kept from one plan to the next. */
    @Test
    void countsAnewWhatHasChanged() {
        String node = ClusterYaml.node("a");
        String pod = ClusterYaml.running("x", "a", "cpu: \"2\", memory: 1Gi", "1-2");
        cluster.apply(node);
        assertThat(plan(pods("cpu: 3"), 1).placeable()).isEqualTo(1);
        assertThat(placeable()).as("more pods").isEqualTo(2);

        cluster.apply(pod);
        assertThat(placeable()).as("a pod runs").isEqualTo(1);
        cluster.apply(pod.replace("phase: Running", "phase: Succeeded"));
        assertThat(placeable()).as("it has ended").isEqualTo(2);

        cluster.apply(node.replace("\nstatus:", "\nspec: {unschedulable: true}\nstatus:"));
        assertThat(placeable()).as("the node is cordoned").isZero();
        cluster.apply(node);
        assertThat(placeable()).as("and no more").isEqualTo(2);

        cluster.apply(node.replace("allocatable: {", "allocatable: {cpu: \"5\", "));
        assertThat(placeable()).as("the sum of its CPUs changes").isEqualTo(1);
        cluster.apply(node, ClusterYaml.running("y", "a", "cpu: \"2\", memory: 1Gi", "1-2"));
        assertThat(placeable()).as("another pod runs").isEqualTo(1);
        cluster.apply(ClusterYaml.node("a", "best-effort"));
        assertThat(placeable()).as("its policy changes").isEqualTo(2);
    }

    private int placeable() {
        return plan(pods("cpu: 3", "cpu: 3", "cpu: 3"), 1).placeable();
    }

    @Test
    void saysWhenTheSearchWasCutOff() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));

        PlanningResult result = new GroupPlanner(cluster.state.claims(), 3)
                .plan(pods("cpu: 2", "cpu: 3", "cpu: 2", "cpu: 3", "cpu: 3", "cpu: 3"), 6, nodes(), any -> Set.of());

        assertThat(result.plan()).isEmpty();
        assertThat(result.cutOff()).isTrue();
    }

    /** Its kubelet would admit a pod of 5 CPUs over both zones. */
    @Test
    void conditionsOfPodsCount() {
        cluster.apply(ClusterYaml.node("a", "best-effort"));
        PodFacts wide = ClusterYaml.pending("wide", "cpu: 5, memory: 1Gi");
        PodFacts limited = wide.withAnnotations(new TreeMap<>(Map.of("kai.scheduler/max-numa-spread", "1")));

        assertThat(plan(List.of(wide), 1).plan()).isPresent();
        assertThat(plan(List.of(limited), 1).plan()).isEmpty();
    }

    @Test
    void excludedNodesAreNotUsed() {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));

        PlanningResult result = planner.plan(
                pods("cpu: 4", "cpu: 4"), 2, nodes(), pod -> pod.name().equals("p0") ? Set.of("a") : Set.of("b"));

        Map<String, List<PodFacts>> byNode = result.plan().orElseThrow().byNode();
        assertThat(byNode.getOrDefault("b", List.of()))
                .extracting(PodFacts::name)
                .containsExactly("p0");
        assertThat(byNode.getOrDefault("a", List.of()))
                .extracting(PodFacts::name)
                .containsExactly("p1");
    }

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    /** A plan is found exactly if one of all assignments of pods to nodes fits, in the same order of pods. */
    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithTryingEveryAssignment(long seed) {
        Random random = new Random(seed);
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            cluster.apply(ClusterYaml.node("n" + i, random.nextBoolean() ? "single-numa-node" : "restricted"));
        }
        if (random.nextBoolean()) {
            cluster.apply(ClusterYaml.running("x", "n0", "cpu: \"2\", memory: 1Gi", "1-2"));
        }
        List<PodFacts> pods = new ArrayList<>();
        for (int i = 0; i < 2 + random.nextInt(4); i++) {
            String gpu = random.nextInt(3) == 0 ? ", nvidia.com/gpu: \"1\"" : "";
            pods.add(ClusterYaml.pending("p" + i, "cpu: \"%d\"%s, memory: 1Gi".formatted(1 + random.nextInt(4), gpu)));
        }
        int least = 1 + random.nextInt(pods.size());

        PlanningResult result = plan(pods, least);

        result.plan().ifPresent(plan -> {
            assertThat(plan.size()).isGreaterThanOrEqualTo(least);
            nodes().forEach(node -> assertThat(
                            node.start().withAll(plan.byNode().getOrDefault(node.name(), List.of())))
                    .isPresent());
        });
        assertThat(result.cutOff()).isFalse();
        assertThat(result.plan().isPresent()).isEqualTo(mostPlaced(hardestFirst(pods), 0, starts()) >= least);
    }

    /** Pods of which the fewest fit come first; equal pods stay together. */
    private List<PodFacts> hardestFirst(List<PodFacts> pods) {
        List<PodRequest> requests =
                pods.stream().map(GroupPlannerTest::request).distinct().toList();
        return pods.stream()
                .sorted(Comparator.comparingInt(this::room).thenComparing(pod -> requests.indexOf(request(pod))))
                .toList();
    }

    private static PodRequest request(PodFacts pod) {
        return pod.request().named("same");
    }

    private int room(PodFacts pod) {
        int room = 0;
        for (TentativeNode start : starts()) {
            Optional<TentativeNode> node = Optional.of(start);
            for (int copy = 0; node.isPresent(); copy++) {
                node = node.get().with(pod.requesting(pod.request().named("copy-" + copy)));
                room += node.isPresent() ? 1 : 0;
            }
        }
        return room;
    }

    private List<TentativeNode> starts() {
        return nodes().stream().map(GroupNode::start).toList();
    }

    private static int mostPlaced(List<PodFacts> pods, int from, List<TentativeNode> nodes) {
        if (from == pods.size()) {
            return 0;
        }
        int most = mostPlaced(pods, from + 1, nodes);
        for (int i = 0; i < nodes.size(); i++) {
            Optional<TentativeNode> after = nodes.get(i).with(pods.get(from));
            if (after.isPresent()) {
                List<TentativeNode> next = new ArrayList<>(nodes);
                next.set(i, after.get());
                most = Math.max(most, 1 + mostPlaced(pods, from + 1, next));
            }
        }
        return most;
    }
}
