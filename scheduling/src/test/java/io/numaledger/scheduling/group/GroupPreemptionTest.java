package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.group.EvictionSearch.Proposal;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** Nodes of two zones with 4 CPUs each. */
class GroupPreemptionTest {

    private static final long WORK = 20_000;

    private final TestCluster cluster = new TestCluster();

    private static String running(String node, int priority, int firstCpu, int lastCpu) {
        return ClusterYaml.running(
                        node + "-" + firstCpu,
                        node,
                        "cpu: \"%d\", memory: 1Gi".formatted(lastCpu - firstCpu + 1),
                        firstCpu + "-" + lastCpu)
                .replace("spec:\n", "spec:\n  priority: %d\n".formatted(priority));
    }

    /** One pod of each zone has the priority of the group. On one node, the two others may end; elsewhere, three do not suffice. */
    @Test
    void findsPodsOfAHigherPriorityAfterManyOfALowerOneThatDoNotSuffice() {
        for (String node : List.of("a", "b", "c")) {
            cluster.apply(ClusterYaml.node(node));
            for (int cpu = 1; cpu <= 8; cpu++) {
                cluster.apply(running(node, cpu % 4 == 1 ? 10 : 0, cpu, cpu));
            }
        }
        cluster.apply(ClusterYaml.node("d"), running("d", 0, 1, 1), running("d", 5, 2, 4), running("d", 10, 5, 8));
        PodFacts member =
                ClusterYaml.parsePod(ClusterYaml.pod("g", "cpu: \"4\", memory: 1Gi", "", "  priority: 10", ""));
        GroupPlanner planner = new GroupPlanner(cluster.state.claims(), 1_000).within(new EvaluationBudget(WORK));

        Optional<Proposal> proposal = new GroupPreemption(cluster.state, () -> DisruptionBudgets.NONE)
                .find(planner, cluster.state.uses(new EvaluationBudget(1_000_000_000)), List.of(member), 1);

        assertThat(proposal.stream()
                        .flatMap(found -> found.victims().pods().stream().map(PodFacts::name)))
                .containsExactlyInAnyOrder("d-1", "d-2");
    }
}
