package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.TopologyAnnotations;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.topology.DomainTree;
import io.numaledger.scheduling.topology.Topologies;
import io.numaledger.scheduling.topology.TopologyRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each node has two zones of 4 CPUs: two pods of 3 CPUs fit. */
class TopologyPlannerTest {

    private static final int STEPS = 20_000;

    private final TestCluster cluster = new TestCluster();
    private final GroupPlanner planner = new GroupPlanner(cluster.state.claims(), STEPS);
    private final Map<PodFacts, String> placed = new LinkedHashMap<>();
    private Map<String, String> wishes =
            Map.of(TopologyAnnotations.LEVELS, "block,rack", TopologyAnnotations.REQUIRED, "rack");

    /** A node such as {@code a1x}: block a, rack 1. */
    private void nodes(String... names) {
        for (String name : names) {
            cluster.apply(ClusterYaml.node(name)
                    .replace(
                            "metadata: {name: %s}\nstatus".formatted(name),
                            "metadata: {name: %s, labels: {block: %s, rack: \"%s\"}}\nstatus"
                                    .formatted(name, name.charAt(0), name.charAt(1)))
                    .replace("allocatable: {", "allocatable: {cpu: \"8\", "));
        }
    }

    private PlanningResult plan(List<PodFacts> pods, int least) {
        Map<String, SortedMap<String, String>> labels = new HashMap<>();
        groupNodes()
                .forEach(node ->
                        labels.put(node.name(), node.use().node().constraints().labels()));
        TopologyRequest request = TopologyRequest.of(wishes, new Topologies()).orElseThrow();
        return new TopologyPlanner(planner, request, DomainTree.of(request.levels(), labels), placed)
                .plan(pods, least, groupNodes());
    }

    private List<GroupNode> groupNodes() {
        return IntStream.range(0, cluster.state.index().size())
                .mapToObj(cluster.state.index()::name)
                .sorted()
                .map(name -> GroupNode.now(
                        cluster.state
                                .use(name, new EvaluationBudget(1_000_000_000))
                                .orElseThrow(),
                        any -> true))
                .toList();
    }

    private static PodFacts pod(String name, int cpus, String annotations, String spec) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                name,
                "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                ", annotations: {%s}".formatted(annotations),
                spec,
                ""));
    }

    private static List<PodFacts> pods(int from, int to, int cpus) {
        return IntStream.range(from, to)
                .mapToObj(i -> pod("p" + i, cpus, "", ""))
                .toList();
    }

    private void place(int pod, int rank, String node) {
        placed.put(pod("p" + pod, 3, "numaledger.io/rank: \"%d\"".formatted(rank), ""), node);
    }

    /** Such as {@code p0 a1x a.1 0}: pod, node, domain, rank. */
    private static String text(PlanningResult result) {
        return result.plan()
                .map(plan -> plan.byNode().entrySet().stream()
                        .flatMap(node -> node.getValue().stream().map(pod -> {
                            TopologyPlace place = plan.place(pod).orElseThrow();
                            return "%s %s %s %d".formatted(pod.name(), node.getKey(), place.domain(), place.rank());
                        }))
                        .collect(Collectors.joining(", ")))
                .orElseGet(() -> "%d fit %s".formatted(result.placeable(), result.notes()));
    }

    /** By node-level requests, four pods of 3 CPUs would fit rack 1. */
    @Test
    void countsPodsThatReallyFit() {
        nodes("a1x", "a1y", "b2x", "b2y");
        cluster.apply(ClusterYaml.running("x", "a1x", "cpu: \"2\", memory: 1Gi", "1-2"));

        assertThat(text(plan(pods(0, 4, 3), 4))).isEqualTo("p0 b2x b.2 0, p1 b2x b.2 1, p2 b2y b.2 2, p3 b2y b.2 3");
        assertThat(text(plan(pods(0, 3, 3), 3)))
                .as("the tightest rack")
                .isEqualTo("p0 a1x a.1 0, p1 a1y a.1 1, p2 a1y a.1 2");
        assertThat(text(plan(pods(0, 5, 3), 5))).isEqualTo("4 fit [all have to run in one domain of rack]");
    }

    @Test
    void asManyPodsAsFitRunIfNotAllHaveTo() {
        nodes("a1x", "b1x", "b1y");

        assertThat(plan(pods(0, 5, 3), 3).plan().orElseThrow().byNode().keySet())
                .containsExactly("b1x", "b1y");
        assertThat(plan(pods(0, 5, 3), 3).placeable()).isEqualTo(4);
    }

    @Test
    void replacementsRunInTheDomainOfTheOthersAndGetTheirNumber() {
        nodes("a1x", "a1y", "b1x");
        place(0, 0, "a1x");
        place(2, 2, "a1y");

        assertThat(text(plan(pods(3, 4, 3), 1))).isEqualTo("p3 a1x a.1 1");
    }

    @Test
    void replacementsRunInTheDomainOfTheirSlice() {
        nodes("a1x", "a1y", "a2x", "a2y");
        wishes = Map.of(
                TopologyAnnotations.LEVELS, "block,rack",
                TopologyAnnotations.SLICE_REQUIRED, "rack",
                TopologyAnnotations.SLICE_SIZE, "2");
        place(0, 0, "a1x");
        place(3, 3, "a2x");
        place(4, 4, "a2x");

        assertThat(text(plan(pods(5, 8, 3), 3))).isEqualTo("p5 a1x a.1 1, p6 a2x a.2 2, p7 a2x a.2 5");
    }

    @Test
    void podsThatDifferAreTriedDomainByDomain() {
        nodes("a1x", "a1y", "b1x", "b1y");
        cluster.apply(ClusterYaml.running("x", "a1x", "cpu: \"4\", memory: 1Gi", "1-4"));
        List<PodFacts> mixed = new ArrayList<>(pods(0, 3, 4));
        mixed.addAll(pods(3, 4, 1));

        assertThat(plan(mixed, 4).plan().orElseThrow().byNode().keySet()).allMatch(node -> node.startsWith("b1"));

        mixed.addAll(pods(4, 6, 4));
        assertThat(plan(mixed, 6).plan()).isEmpty();
        assertThat(plan(mixed, 6).placeable()).isEqualTo(4);
    }

    /** Kueue counts node-level requests: beside a pod of 2 CPUs, a node of 8 CPUs takes two pods of 3. */
    @Test
    void saysWhereAnAssignmentContradictsTheZones() {
        nodes("a1x", "a1y", "a2x");
        List<PodFacts> pods = List.of(assigned("p0", 1), assigned("p1", 2), assigned("p2", 2));

        assertThat(text(plan(pods, 3))).isEqualTo("p0 a1x a.1 0, p1 a2x a.2 1, p2 a2x a.2 2");

        cluster.apply(ClusterYaml.running("x", "a2x", "cpu: \"2\", memory: 1Gi", "1-2"));

        assertThat(plan(pods, 3).notes())
                .contains("2 are assigned to rack=2: 2 of them fit by node-level requests, 1 by zones")
                .noneMatch(note -> note.contains("rack=1"));
    }

    private static PodFacts assigned(String name, int rack) {
        return pod(name, 3, "", "  nodeSelector: {block: a, rack: \"%d\"}".formatted(rack));
    }

    static LongStream seeds() {
        return LongStream.range(0, 80);
    }

    /** A rack that takes the whole group is found exactly if one of the racks does, alone. */
    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithPlanningRackByRack(long seed) {
        Random random = new Random(seed);
        Set<String> names = IntStream.range(0, 1 + random.nextInt(5))
                .mapToObj(
                        i -> "%s%d%s".formatted("ab".charAt(random.nextInt(2)), random.nextInt(2), "xyz".charAt(i % 3)))
                .collect(Collectors.toSet());
        names.forEach(this::nodes);
        int[] number = {0};
        names.stream()
                .filter(any -> random.nextBoolean())
                .forEach(node -> cluster.apply(ClusterYaml.running(
                        "x" + number[0]++, node, "cpu: \"2\", memory: 1Gi", random.nextBoolean() ? "1-2" : "5-6")));
        int[] sizes = random.nextBoolean() ? new int[] {1 + random.nextInt(4)} : new int[] {2, 3};
        List<PodFacts> pods = IntStream.range(0, 1 + random.nextInt(6))
                .mapToObj(i -> pod("p" + i, sizes[i % sizes.length], "", ""))
                .toList();
        int least = 1 + random.nextInt(pods.size());

        PlanningResult result = plan(pods, least);

        int most = groupNodes().stream()
                .collect(Collectors.groupingBy(node -> node.name().substring(0, 2), TreeMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(rack -> planner.plan(pods, least, rack, any -> Set.of()))
                .filter(each -> each.plan().isPresent())
                .mapToInt(PlanningResult::placeable)
                .max()
                .orElse(0);
        assertThat(result.plan().map(GroupPlan::size).orElse(0)).isEqualTo(most);
        assertThat(result.plan().map(plan -> plan.places().size()).orElse(0)).isEqualTo(most);
        assertThat(result.plan().stream()
                        .flatMap(plan -> plan.byNode().keySet().stream())
                        .map(node -> node.substring(0, 2))
                        .distinct())
                .hasSizeLessThan(2);
        assertThat(Optional.of(result).filter(PlanningResult::cutOff)).isEmpty();
    }
}
