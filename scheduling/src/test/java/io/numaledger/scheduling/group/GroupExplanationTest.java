package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Two pods need a zone each, and one is free. Pods x and y hold parts of zones, of different nodes, and fit together in one. */
class GroupExplanationTest {

    private static final PodGroupName GROUP = new PodGroupName(PodGroupName.Kind.LABEL, "default", "g");

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void fillTheNodes() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("x", "n", "cpu: \"2\", memory: 1Gi", "1-2"),
                ClusterYaml.node("m"),
                ClusterYaml.running("y", "m", "cpu: \"2\", memory: 1Gi", "1-2"),
                ClusterYaml.running("z", "m", "cpu: \"4\", memory: 1Gi", "5-8"),
                member("g-0"),
                member("g-1"));
    }

    private static String member(String name) {
        return ClusterYaml.pod(name, "cpu: \"4\", memory: 1Gi", ", labels: {numaledger.io/pod-group: g}", "", "");
    }

    @Test
    void namesAPodThatCouldMove() {
        assertThat(GroupExplanation.of(cluster.state, GROUP, 2).evictions()).hasSize(1);
    }

    /** The bridge keeps places for groups that wait. */
    @Test
    void placesThatAreKeptForTheGroupItselfAreFree() {
        PodFacts kept = cluster.state.pods().get("default/g-0").orElseThrow();
        PlanReservations plans = new PlanReservations(cluster.state);
        assertThat(plans.reserve(
                        plans.next(),
                        new GroupPlan(Map.of("n", List.of(kept))),
                        cluster.state.uses(new EvaluationBudget(1_000_000_000))))
                .isTrue();

        namesAPodThatCouldMove();
    }

    @ParameterizedTest
    @CsvSource({"-1, true", "0, false", "1, false"})
    void aGroupIsExplainedAsItIsPlannedBesideOthers(int priority, boolean fits) {
        cluster.deletePod("x");
        assertThat(GroupExplanation.of(cluster.state, GROUP, 2).fits()).isTrue();

        cluster.apply(ClusterYaml.pod(
                "nominated",
                "cpu: \"4\", memory: 1Gi",
                "",
                "  priority: " + priority,
                ", phase: Pending, nominatedNodeName: n"));

        assertThat(GroupExplanation.of(cluster.state, GROUP, 2).fits()).isEqualTo(fits);
    }
}
