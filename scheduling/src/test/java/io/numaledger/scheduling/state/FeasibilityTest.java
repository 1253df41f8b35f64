package io.numaledger.scheduling.state;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.preemption.VictimSearch;
import io.numaledger.scheduling.preemption.Victims;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of two zones with 4 CPUs each: whoever asks about a pod gets the same answer. */
class FeasibilityTest {

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void oneNode() {
        cluster.apply(ClusterYaml.node("n"));
    }

    private static String cpus(int count) {
        return "cpu: \"%d\", memory: 1Gi".formatted(count);
    }

    private static String withPriority(String pod, int priority) {
        return pod.replaceFirst("spec:\n", "spec:\n  priority: %d\n".formatted(priority));
    }

    private void nominate(String name, int cpus, int priority) {
        cluster.apply(withPriority(
                ClusterYaml.pod(name, cpus(cpus), "", "", ", phase: Pending, nominatedNodeName: n"), priority));
    }

    private static PodFacts pending(String name, int cpus, int priority) {
        return ClusterYaml.parsePod(withPriority(ClusterYaml.pod(name, cpus(cpus), "", "", ""), priority));
    }

    private Explanation explained(PodFacts pod) {
        return Explanation.ofAll(cluster.state, pod).get(0);
    }

    private String advice(PodFacts pod) {
        return explained(pod).advice().map(PodNames.ALL::text).orElse("");
    }

    private Optional<Refused> reserved(PodFacts pod) {
        return cluster.state.reserved().refusal("n", pod, cluster.state.budget(pod, 1));
    }

    private Optional<Victims> victims(PodFacts pod) {
        return new VictimSearch(
                        cluster.state.use("n", cluster.state.budget(pod, 1)).orElseThrow(),
                        pod,
                        DisruptionBudgets.NONE,
                        new SearchLimit())
                .find(Set.of());
    }

    @Test
    void explainSaysThatANodeIsReserved() {
        nominate("first", 3, 10);
        nominate("second", 3, 10);
        PodFacts newcomer = pending("newcomer", 2, 0);

        assertThat(reserved(newcomer)).isPresent();
        assertThat(explained(newcomer).schedulable()).isFalse();
        assertThat(explained(newcomer).evaluation())
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(RefusalReason.RESERVED_FOR_NOMINATED_POD));
    }

    @Test
    void nobodyIsToldToWaitForAPlaceThatIsPromisedToAnother() {
        String ending = ClusterYaml.terminating(ClusterYaml.running("ending", "n", cpus(4), "1-4"));
        cluster.apply(ending, ClusterYaml.running("other", "n", cpus(4), "5-8"));
        PodFacts newcomer = pending("newcomer", 4, 0);
        assertThat(advice(newcomer)).startsWith("wait: ");

        nominate("first", 4, 10);

        assertThat(advice(newcomer)).isEqualTo("the pod would fit without default/ending and default/other");
        cluster.deletePod("ending");
        assertThat(reserved(newcomer)).isPresent();
        cluster.deletePod("other");
        assertThat(reserved(newcomer)).isEmpty();
    }

    /** The group's pod of 4 CPUs has its place when a and b have ended; without b, the newcomer would take zone 0. */
    @Test
    void nobodyIsEvictedForAPodThatAGroupsPlaceKeepsAway() {
        cluster.apply(
                withPriority(ClusterYaml.running("a", "n", cpus(2), "1-2"), 5),
                withPriority(ClusterYaml.running("b", "n", cpus(2), "3-4"), 0),
                withPriority(ClusterYaml.running("c", "n", cpus(4), "5-8"), 20));
        PodFacts member = pending("member", 4, 10);
        assertThat(cluster.state
                        .reserved()
                        .plan(cluster.state.use("n").orElseThrow(), 1, List.of(member), Set.of("uid-a", "uid-b")))
                .isTrue();
        PodFacts newcomer = pending("newcomer", 2, 5);

        assertThat(victims(newcomer)).isEmpty();

        cluster.deletePod("b");
        assertThat(reserved(newcomer)).isPresent();
    }

    private static PodFacts onPort(String name) {
        return ClusterYaml.parsePod(withPort(ClusterYaml.pod(name, cpus(1), "", "", "")));
    }

    private static String withPort(String pod) {
        return pod.replace("image: x,", "image: x, ports: [{containerPort: 80, hostPort: 8080}],");
    }

    @Test
    void aHostPortIsTakenForAllWhoAsk() {
        List<PodFacts> equal = List.of(onPort("one"), onPort("two"));
        assertThat(equal.get(0).constraints().hostPorts()).hasSize(1);
        GroupNode node = GroupNode.now(
                cluster.state.use("n", new EvaluationBudget(1_000_000)).orElseThrow(), any -> true);
        GroupPlanner planner = new GroupPlanner(cluster.state.claims(), 1000);
        assertThat(planner.plan(equal, 1, List.of(node), any -> Set.of())
                        .plan()
                        .orElseThrow()
                        .size())
                .isEqualTo(1);

        cluster.apply(withPort(ClusterYaml.running("holder", "n", cpus(1), "1")));

        assertThat(Stream.of(explained(equal.get(0)).nodeReasons())
                        .flatMap(List::stream)
                        .map(PodNames.ALL::text))
                .containsExactly("another pod has a host port of the pod");
        assertThat(advice(equal.get(0))).isEqualTo("the pod would fit without default/holder");
        assertThat(victims(ClusterYaml.parsePod(
                                withPriority(withPort(ClusterYaml.pod("three", cpus(1), "", "", "")), 5)))
                        .orElseThrow()
                        .pods())
                .extracting(PodFacts::name)
                .containsExactly("holder");

        cluster.apply(withPort(ClusterYaml.running("second", "n", cpus(1), "2")));
        assertThat(advice(equal.get(0))).isEqualTo("the pod would fit without default/holder and default/second");
    }
}
