package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.MixedGroupSearch.Member;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Each node has two zones of 4 CPUs. */
class MixedGroupSearchTest {

    private final TestCluster cluster = new TestCluster();

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void agreesWithTheRecursiveSearch(long seed) {
        Random random = new Random(seed);
        List<GroupNode> nodes = nodes(1 + random.nextInt(3), AMPLE);
        if (random.nextBoolean()) {
            cluster.apply(ClusterYaml.running("x", "n0", "cpu: \"2\", memory: 1Gi", "1-2"));
        }
        List<Member> members = new ArrayList<>();
        for (int kind = 0; kind < 1 + random.nextInt(3); kind++) {
            List<GroupNode> allowed =
                    nodes.stream().filter(node -> random.nextInt(4) > 0).toList();
            int cpus = 1 + random.nextInt(4);
            String equal = "k%d-0".formatted(kind);
            for (int i = 0; i < 1 + random.nextInt(3); i++) {
                members.add(new Member(
                        ClusterYaml.pending("k%d-%d".formatted(kind, i), "cpu: \"%d\", memory: 1Gi".formatted(cpus)),
                        equal,
                        allowed));
            }
        }
        members.sort(Comparator.comparing(member -> !member.allowed().isEmpty())); // as planners order them
        int leftOut = random.nextInt(members.size());

        PlanningResult result =
                new MixedGroupSearch(members, leftOut, 1_000_000, new EvaluationBudget(100_000_000)).search();

        PlanningResult expected = new RecursiveGroupSearch(members, leftOut).search();
        assertThat(result).isEqualTo(expected);
    }

    private static final EvaluationBudget AMPLE = new EvaluationBudget(1_000_000_000);

    private List<GroupNode> nodes(int count, EvaluationBudget budget) {
        return IntStream.range(0, count)
                .mapToObj(i -> {
                    cluster.apply(ClusterYaml.node("n" + i));
                    return GroupNode.now(cluster.state.use("n" + i, budget).orElseThrow(), any -> true);
                })
                .toList();
    }

    /** A pod without CPUs fits everywhere. 10,000 are many more calls than a thread has room for. */
    @Test
    void findsPlacesForMorePodsThanAStackIsDeep() {
        List<GroupNode> nodes = nodes(1, AMPLE);
        List<Member> members = IntStream.range(0, 10_000)
                .mapToObj(i -> new Member(ClusterYaml.pending("p" + (i % 100), "ephemeral-storage: 1"), "p" + i, nodes))
                .toList();

        PlanningResult result = new MixedGroupSearch(members, 0, 100_000, new EvaluationBudget(100_000_000)).search();

        assertThat(result.placeable()).isEqualTo(10_000);
    }

    @Test
    void endsWhenTheBudgetIsUsedUp() {
        EvaluationBudget budget = new EvaluationBudget(100);
        List<GroupNode> nodes = nodes(2, budget);
        List<Member> members = IntStream.range(0, 20)
                .mapToObj(i -> new Member(ClusterYaml.pending("p" + i, "cpu: \"3\", memory: 1Gi"), "p" + i, nodes))
                .toList();

        PlanningResult result = new MixedGroupSearch(members, 0, 1_000_000, budget).search();

        assertThat(result.plan()).isEmpty();
        assertThat(result.cutOff()).isTrue();
        assertThat(result.placeable()).as("as far as it came").isEqualTo(2);
        assertThat(budget.used()).isEqualTo(100);
    }
}
