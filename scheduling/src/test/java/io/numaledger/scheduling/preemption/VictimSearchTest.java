package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.NodeState;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

/** A node of two zones with 4 CPUs and a GPU each; CPU 0 is reserved, zone 0 has CPUs 1-4, zone 1 has 5-8. */
class VictimSearchTest {

    private final TestCluster cluster = new TestCluster();

    /** A running pod with this priority that holds these CPUs. */
    private void runs(String name, int priority, String cpus, int count) {
        cluster.apply(withPriority(
                ClusterYaml.running(name, "n", "cpu: \"%d\", memory: 1Gi".formatted(count), cpus), priority));
    }

    private static String withPriority(String pod, int priority) {
        return pod.replaceFirst("spec:\n", "spec:\n  priority: %d\n".formatted(priority));
    }

    private static PodFacts pending(int priority, String limits) {
        return ClusterYaml.parsePod(withPriority(ClusterYaml.pod("p", limits, "", "", ""), priority));
    }

    private Optional<Victims> find(PodFacts pod, Set<String> kept, DisruptionBudgets budgets) {
        return new VictimSearch(
                        cluster.state
                                .use("n", new EvaluationBudget(1_000_000_000))
                                .orElseThrow(),
                        pod,
                        budgets,
                        new SearchLimit())
                .find(kept);
    }

    private List<String> victims(PodFacts pod) {
        return find(pod, Set.of(), DisruptionBudgets.NONE).orElseThrow().pods().stream()
                .map(PodFacts::name)
                .toList();
    }

    @Test
    void takesTheOnePodWhoseZoneSuffices() {
        cluster.apply(ClusterYaml.node("n"));
        runs("a", 0, "1-2", 2);
        runs("b", 0, "5-6", 2);
        runs("c", 0, "7", 1);

        assertThat(victims(pending(10, "cpu: \"4\", memory: 1Gi"))).containsExactly("a");
    }

    /** The pod's CPUs would come from node-0. */
    @Test
    void aVictimFreesTheDevicesOfItsClaim() {
        cluster.apply(ClusterYaml.node("n"));
        TestClaims claims = new TestClaims(cluster.state.claims());
        claims.devices("n", 0, 0, 1);
        claims.claim("p", 1);
        claims.allocated("a", "n", 0, "a");
        claims.allocated("b", "n", 1);
        claims.allocated("c", "n", 2, "c");
        for (String name : List.of("a", "b", "c")) {
            cluster.apply(withPriority(
                    TestClaims.withClaim(ClusterYaml.running(
                            name, "n", "cpu: \"1\", memory: 1Gi", String.valueOf(name.charAt(0) - 'a' + 5))),
                    0));
        }
        PodFacts p = ClusterYaml.parsePod(
                withPriority(TestClaims.yaml("p", "cpu: \"1\", memory: 1Gi", "required", "p"), 10));

        assertThat(victims(p)).as("the device of b stays, that of c is far").containsExactly("a");

        claims.allocated("a", "n", 0, "a", "x");
        assertThat(find(p, Set.of(), DisruptionBudgets.NONE))
                .as("x uses the device, too")
                .isEmpty();
    }

    @Test
    void takesLessImportantPodsBeforeFewer() {
        cluster.apply(ClusterYaml.node("n"));
        runs("important", 5, "1-4", 4);
        runs("b", 0, "5-6", 2);
        runs("c", 0, "7-8", 2);

        assertThat(victims(pending(10, "cpu: \"4\", memory: 1Gi"))).containsExactlyInAnyOrder("b", "c");
    }

    @Test
    void takesOnlyLessImportantPods() {
        cluster.apply(ClusterYaml.node("n"));
        runs("equal", 10, "1-4", 4);
        runs("more", 11, "5-8", 4);

        assertThat(find(pending(10, "cpu: \"1\", memory: 1Gi"), Set.of(), DisruptionBudgets.NONE))
                .isEmpty();
    }

    @Test
    void takesNobodyWhereThePodFitsOrWillFitWhenTerminatingPodsHaveEnded() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.terminating(ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "1-4")));
        runs("b", 0, "5-8", 4);

        assertThat(victims(pending(10, "cpu: \"4\", memory: 1Gi"))).isEmpty();
    }

    @Test
    void findsNothingForAPodThatTheEmptyNodeRefuses() {
        cluster.apply(ClusterYaml.node("n"));
        runs("a", 0, "1", 1);

        assertThat(find(pending(10, "cpu: \"5\", memory: 1Gi"), Set.of(), DisruptionBudgets.NONE))
                .isEmpty();
    }

    /** Nobody knows which zone it would free. */
    @Test
    void creditsNoZoneForAVictimWithoutARecord() {
        cluster.apply(
                ClusterYaml.node("n").replace("available: \"4\"", "available: \"0\""),
                ClusterYaml.pod("silent", "cpu: \"4\", memory: 1Gi", "", "  nodeName: n", ", phase: Running"));
        runs("b", 0, "5-8", 4);

        assertThat(victims(pending(10, "cpu: \"4\", memory: 1Gi"))).containsExactly("b");
    }

    @Test
    void leavesRoomForAPodThatIsNominatedThere() {
        cluster.apply(ClusterYaml.node("n"));
        runs("a", 0, "1-4", 4);
        runs("b", 0, "5-8", 4);
        cluster.apply(withPriority(
                ClusterYaml.pod("first", "cpu: \"4\", memory: 1Gi", "", "", ", nominatedNodeName: n"), 10));
        cluster.apply(ClusterYaml.terminating(
                withPriority(ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "1-4"), 0)));

        assertThat(victims(pending(10, "cpu: \"4\", memory: 1Gi"))).containsExactly("b");
        assertThat(victims(pending(20, "cpu: \"4\", memory: 1Gi")))
                .as("a pod of higher priority may take that place")
                .isEmpty();
    }

    @Test
    void sparesPodsThatABudgetProtects() {
        cluster.apply(ClusterYaml.node("n"));
        runs("a", 0, "1-4", 4);
        cluster.apply(ClusterYaml.running("b", "n", "cpu: \"4\", memory: 1Gi", "5-8")
                .replace("uid: uid-b", "uid: uid-b, labels: {app: b}"));
        DisruptionBudget ofB =
                new DisruptionBudget("default", "b", Optional.of(new LabelSelector(List.of(), Map.of("app", "b"))), 0);
        DisruptionBudget ofAll =
                new DisruptionBudget("default", "all", Optional.of(new LabelSelector(List.of(), Map.of())), 1);
        PodFacts pod = pending(10, "cpu: \"4\", memory: 1Gi");

        Victims spared =
                find(pod, Set.of(), new DisruptionBudgets(List.of(ofB))).orElseThrow();
        assertThat(spared.pods()).extracting(PodFacts::name).containsExactly("a");
        assertThat(spared.violations()).isZero();
        Victims both = find(pod, Set.of("uid-a", "uid-b"), new DisruptionBudgets(List.of(ofAll, ofB)))
                .orElseThrow();
        assertThat(both.pods()).hasSize(2);
        assertThat(both.violations()).isOne();
    }

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    /** The oracle tries every set of victims. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEverySet(long seed) {
        Random random = new Random(seed);
        cluster.apply(ClusterYaml.node("n", random.nextBoolean() ? "single-numa-node" : "restricted"));
        List<List<Integer>> free = List.of(new ArrayList<>(List.of(1, 2, 3, 4)), new ArrayList<>(List.of(5, 6, 7, 8)));
        for (int i = 0; i < 8; i++) {
            List<Integer> zone = free.get(random.nextInt(2));
            int cpus = Math.min(zone.size(), 1 + random.nextInt(2));
            if (cpus > 0) {
                List<Integer> taken = List.copyOf(zone.subList(0, cpus));
                zone.subList(0, cpus).clear();
                runs("p" + i, random.nextInt(3), taken.toString().replaceAll("[\\[\\] ]", ""), cpus);
            }
        }
        PodFacts pod = pending(2, "cpu: \"%d\", memory: 1Gi".formatted(1 + random.nextInt(6)));

        Optional<Victims> found = find(pod, Set.of(), DisruptionBudgets.NONE);

        Optional<List<Integer>> best = bestOfAllSets(pod);
        assertThat(found.map(VictimSearchTest::cost)).isEqualTo(best);
    }

    /** Highest priority of a victim, then their number; empty: no set helps. */
    private Optional<List<Integer>> bestOfAllSets(PodFacts pod) {
        NodeSnapshot node = cluster.snapshot("n");
        List<PodFacts> possible = cluster.state.podsOn("n").stream()
                .filter(each -> each.priority().value() < 2)
                .toList();
        Optional<List<Integer>> best = Optional.empty();
        for (int set = 0; set < 1 << possible.size(); set++) {
            List<PodFacts> ended = new ArrayList<>();
            NodeState state = node.now().orElseThrow();
            for (int i = 0; i < possible.size(); i++) {
                if ((set >> i & 1) == 1) {
                    ended.add(possible.get(i));
                    state = node.model()
                            .kubelet()
                            .orElseThrow()
                            .ended(state, possible.get(i).key());
                }
            }
            List<Integer> cost = cost(new Victims(ended, 0));
            boolean better = best.isEmpty()
                    || cost.get(0) < best.get().get(0)
                    || (cost.get(0).equals(best.get().get(0))
                            && cost.get(1) < best.get().get(1));
            if (better && FullModel.evaluate(node, Optional.of(state), pod).admits()) {
                best = Optional.of(cost);
            }
        }
        return best;
    }

    static LongStream fewSeeds() {
        return LongStream.range(0, 60);
    }

    /** The oracle builds the node anew without each set: with memory and a number of pods for the node as a whole, and terminating pods. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fewSeeds")
    void agreesWithTheNodeThatIsBuiltWithoutEachSet(long seed) {
        Random random = new Random(seed);
        String node = ClusterYaml.node("n")
                .replace(
                        "allocatable: {",
                        "allocatable: {memory: %dGi, pods: \"%d\", "
                                .formatted(8 + random.nextInt(5), 3 + random.nextInt(4)));
        Map<String, String> pods = new TreeMap<>();
        for (int first = 1; first <= 8; ) {
            int last = Math.min(first <= 4 ? 4 : 8, first + random.nextInt(3));
            String name = "p" + first;
            String pod = ClusterYaml.running(
                    name,
                    "n",
                    "cpu: \"%d\", memory: %dGi".formatted(last - first + 1, 1 + random.nextInt(4)),
                    first + "-" + last);
            pods.put(
                    "default/" + name,
                    withPriority(random.nextInt(5) == 0 ? ClusterYaml.terminating(pod) : pod, random.nextInt(3)));
            first = last + 1 + random.nextInt(2);
        }
        PodFacts pod = pending(2, "cpu: \"%d\", memory: %dGi".formatted(1 + random.nextInt(4), 1 + random.nextInt(6)));
        cluster.apply(node);
        pods.values().forEach(cluster::apply);

        Optional<Victims> found = find(pod, Set.of(), DisruptionBudgets.NONE);

        assertThat(found.map(VictimSearchTest::cost)).isEqualTo(bestOfAllNodes(node, pods, pod));
    }

    /** Whoever may use host ports can fill a node with them. 45 pods have to end: many sets are tried. */
    @Test
    void manyHostPortsCostLittle() {
        cluster.apply(ClusterYaml.node("n")
                .replaceFirst("allocatable: \\{", "allocatable: {cpu: \"2\", memory: 64Gi, pods: \"110\", "));
        IntStream.range(0, 95)
                .forEach(pod -> cluster.apply(
                        ClusterYaml.pod("r" + pod, "cpu: 20m, memory: 1Mi", "", "  nodeName: n", ", phase: Running")
                                .replace("image: x,", "image: x, ports: [%s],".formatted(ports(pod)))));

        Victims found = assertTimeout(
                Duration.ofSeconds(60),
                () -> find(pending(1, "cpu: \"1\", memory: 1Gi"), Set.of(), DisruptionBudgets.NONE)
                        .orElseThrow());
        assertThat(found.pods()).hasSize(45);
    }

    private static String ports(int pod) {
        return IntStream.range(0, 64)
                .mapToObj(at -> "{containerPort: 80, hostPort: %d}".formatted(1000 + pod * 64 + at))
                .collect(Collectors.joining(", "));
    }

    private Optional<List<Integer>> bestOfAllNodes(String node, Map<String, String> pods, PodFacts pod) {
        List<PodFacts> possible = cluster.state.podsOn("n").stream()
                .filter(each -> !each.terminating() && each.priority().value() < 2)
                .toList();
        return IntStream.range(0, 1 << possible.size())
                .mapToObj(set -> IntStream.range(0, possible.size())
                        .filter(i -> (set >> i & 1) == 1)
                        .mapToObj(possible::get)
                        .toList())
                .filter(ended -> fitsWithout(ended, node, pods, pod))
                .map(ended -> cost(new Victims(ended, 0)))
                .min(Comparator.<List<Integer>>comparingInt(cost -> cost.get(0)).thenComparing(cost -> cost.get(1)));
    }

    private static boolean fitsWithout(List<PodFacts> ended, String node, Map<String, String> pods, PodFacts pod) {
        TestCluster without = new TestCluster();
        without.apply(node);
        pods.forEach((key, text) -> {
            if (!text.contains("deletionTimestamp")
                    && ended.stream().noneMatch(each -> each.key().equals(key))) {
                without.apply(text);
            }
        });
        return Explanation.ofAll(without.state, pod).get(0).schedulable();
    }

    private static List<Integer> cost(Victims victims) {
        int highest = victims.pods().stream()
                .mapToInt(each -> each.priority().value())
                .max()
                .orElse(-1);
        return List.of(highest, victims.pods().size());
    }
}
