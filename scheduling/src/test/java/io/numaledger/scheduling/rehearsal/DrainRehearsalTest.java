package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.rehearsal.DrainRehearsal.Result;
import io.numaledger.scheduling.rehearsal.DrainRehearsal.Step;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;

import static io.numaledger.scheduling.rehearsal.TestRehearsal.fates;
import static org.assertj.core.api.Assertions.assertThat;

class DrainRehearsalTest {

    private final TestRehearsal test = new TestRehearsal();

    private Result drain(int atOnce, String... nodes) {
        return new DrainRehearsal(test.read(), true).of(List.of(nodes), atOnce);
    }

    @Test
    void aPodMovesWhereItFits() {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");

        Result result = drain(1, "a");

        assertThat(fates(result.pods())).containsExactly("x: moves to b");
        assertThat(result.largestAtOnce()).contains(1);
    }

    /** The other node has 6 CPUs, 3 on each zone. */
    @Test
    void aPodThatFitsBySumsOnlyWaitsForItsNode() {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");
        test.running("y", "b", 1, "1");
        test.running("z", "b", 1, "5");

        Result result = drain(1, "a");

        assertThat(fates(result.pods())).containsExactly("x: waits to a");
        assertThat(result.pods().get(0).why()).isEqualTo("1 nodes: by zones, it does not fit");
        assertThat(result.largestAtOnce()).contains(0);
    }

    @Test
    void aNodeThatDoesNotComeBackTakesNothing() {
        test.nodes("a", "b");
        test.running("x", "a", 4, "1-4");
        test.running("y", "b", 1, "1");
        test.running("z", "b", 1, "5");

        assertThat(fates(new DrainRehearsal(test.read(), false)
                        .of(List.of("a"), 1)
                        .pods()))
                .containsExactly("x: pending");
    }

    @Test
    void podsThatADrainLeavesAloneStay() {
        test.nodes("a", "b");
        test.running("daemon", "a", 1, "1");
        test.made("daemon", "DaemonSet");
        test.running("alone", "a", 1, "2");
        test.origins.remove("default/alone");

        assertThat(fates(drain(1, "a").pods())).containsExactly("alone: lost", "daemon: stays");
    }

    @Test
    void aBudgetWithoutEvictionsBlocks() {
        test.nodes("a", "b");
        test.running("x", "a", 1, "1");
        test.budgets.add(
                new DisruptionBudget("default", "all", Optional.of(new LabelSelector(List.of(), Map.of())), 0));

        assertThat(drain(1, "a").pods())
                .extracting(RehearsedPod::fate, RehearsedPod::why)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple(Fate.BLOCKED, "disruption budget all allows no eviction"));
    }

    /** Node a has room on c only when c's pods have gone to b, and c is back. */
    @Test
    void findsAnOrderInWhichNothingWaits() {
        test.nodes("a", "b", "c");
        test.running("a0", "a", 4, "1-4");
        test.running("a1", "a", 4, "5-8");
        test.running("b0", "b", 2, "1-2");
        test.running("b1", "b", 2, "5-6");
        test.running("c0", "c", 2, "1-2");
        test.running("c1", "c", 2, "5-6");

        Result result = drain(1, "a", "c");

        assertThat(result.steps()).extracting(Step::nodes).containsExactly(List.of("c"), List.of("a"));
        assertThat(fates(result.pods()))
                .containsExactly("a0: moves to c", "a1: moves to c", "c0: moves to b", "c1: moves to b");
        assertThat(result.largestAtOnce()).contains(1);
    }

    @Test
    void podsThatWereMovedMoveAgain() {
        test.nodes("a", "b", "c");
        test.running("x", "a", 4, "1-4");

        assertThat(fates(drain(1, "a", "b", "c").pods())).containsExactly("x: moves to a", "x: moves to b");
    }

    @Test
    void theMoreImportantPodComesFirst() {
        test.nodes("a", "b");
        test.running("b0", "b", 4, "1-4");
        test.running("low", "a", 4, "1-4");
        test.cluster.apply(io.numaledger.objects.ClusterYaml.running("high", "a", "cpu: \"4\", memory: 1Gi", "5-8")
                .replace("spec:\n", "spec:\n  priority: 100\n"));
        test.made("high", "ReplicaSet");

        List<RehearsedPod> pods = drain(1, "a").pods();

        assertThat(fates(pods)).containsExactly("high: moves to b", "low: waits to a");
    }

    @Test
    void pendingPodsWithoutANodeAreNoPodsOfIt() {
        test.nodes("a", "b");
        test.pending("x", 1);

        assertThat(drain(1, "a").pods())
                .extracting(RehearsedPod::pod)
                .extracting(PodFacts::name)
                .isEmpty();
    }
}
