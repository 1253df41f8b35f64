package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.EvictionSearch.Evictable;
import io.numaledger.scheduling.group.EvictionSearch.Proposal;
import io.numaledger.scheduling.state.NodeUse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Two or three nodes of two zones with 4 CPUs each, and pods of 1 to 3 CPUs in some of these zones. */
class EvictionSearchTest {

    private final TestCluster cluster = new TestCluster();
    private final List<String> nodes = new ArrayList<>();

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithTryingEverySetOfPods(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 2 + random.nextInt(2); i++) {
            nodes.add("n" + i);
            cluster.apply(ClusterYaml.node("n" + i));
            for (int zone = 0; zone < 2; zone++) {
                int cpus = random.nextInt(4);
                int first = zone == 0 ? 1 : 5;
                if (cpus > 0) {
                    cluster.apply(ClusterYaml.running(
                            "x%d%d".formatted(i, zone),
                            "n" + i,
                            "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                            first + "-" + (first + cpus - 1)));
                }
            }
        }
        int cpus = 2 + random.nextInt(3);
        List<PodFacts> group = IntStream.range(0, 1 + random.nextInt(2 * nodes.size()))
                .mapToObj(i -> ClusterYaml.pending("g" + i, "cpu: \"%d\", memory: 1Gi".formatted(cpus)))
                .toList();
        if (fits(Set.of(), group)) {
            return;
        }

        Optional<Proposal> proposal = new EvictionSearch(
                        new GroupPlanner(cluster.state.claims(), 1_000),
                        uses(),
                        group,
                        group.size(),
                        Evictable.movable(uses()))
                .find();

        OptionalInt fewest = fewest(group);
        assertThat(proposal.map(found -> found.victims().pods().size()))
                .isEqualTo(fewest.isPresent() ? Optional.of(fewest.getAsInt()) : Optional.empty());
        proposal.ifPresent(found -> assertThat(
                        fits(found.victims().pods().stream().map(PodFacts::key).collect(Collectors.toSet()), group))
                .isTrue());
    }

    private List<NodeUse> uses() {
        return nodes.stream()
                .map(node -> cluster.state
                        .use(node, new EvaluationBudget(1_000_000_000))
                        .orElseThrow())
                .toList();
    }

    private OptionalInt fewest(List<PodFacts> group) {
        List<PodFacts> pods =
                uses().stream().flatMap(use -> use.pods().stream()).toList();
        return IntStream.range(1, 1 << pods.size())
                .filter(set -> fits(
                        IntStream.range(0, pods.size())
                                .filter(i -> (set >> i & 1) == 1)
                                .mapToObj(i -> pods.get(i).key())
                                .collect(Collectors.toSet()),
                        group))
                .map(Integer::bitCount)
                .min();
    }

    /** Whether the group fits when these pods have left, and then they fit, too. */
    private boolean fits(Set<String> leaving, List<PodFacts> group) {
        Map<String, TentativeNode> left = new HashMap<>();
        List<PodFacts> all = new ArrayList<>(group);
        uses().forEach(use -> {
            left.put(use.node().name(), use.without(pod -> leaving.contains(pod.key())));
            use.pods().stream().filter(pod -> leaving.contains(pod.key())).forEach(all::add);
        });
        return place(all, 0, left);
    }

    private static boolean place(List<PodFacts> pods, int from, Map<String, TentativeNode> nodes) {
        if (from == pods.size()) {
            return true;
        }
        for (String node : List.copyOf(nodes.keySet())) {
            TentativeNode before =
                    nodes.getOrDefault(node, nodes.values().iterator().next());
            Optional<TentativeNode> after = before.with(pods.get(from).withoutRecords());
            if (after.isPresent()) {
                nodes.put(node, after.get());
                if (place(pods, from + 1, nodes)) {
                    return true;
                }
                nodes.put(node, before);
            }
        }
        return false;
    }
}
