package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.stranded.MoveSearch.Proposal;
import io.numaledger.scheduling.stranded.StrandedReport.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** Nodes of two zones with 4 CPUs and a GPU each, and 8 CPUs for all pods. */
class StrandedCapacityTest {

    private final TestCluster cluster = new TestCluster();

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            room on both zones             | 2 | 2 | cpu=2,memory=1Gi                  | 2 | 2 | {}
            too few CPUs on each zone      | 2 | 2 | cpu=4,memory=1Gi                  | 1 | 0 | {cpu=1}
            CPUs and GPUs on other zones   | 4 | 0 | cpu=2,memory=1Gi,nvidia.com/gpu=1 | 2 | 1 | {cpu=1}
            more GPUs than a zone has      | 0 | 0 | cpu=2,memory=1Gi,nvidia.com/gpu=2 | 1 | 0 | {policy=1}
            no room by sums                | 4 | 3 | cpu=2,memory=1Gi                  | 0 | 0 | {}
            """)
    void countsByZonesAndBySums(
            String situation, int zone0, int zone1, String size, int bySums, int byZones, String reasons) {
        add("n", zone0, zone1);

        Row row = counted("a:" + size).report().rows().get(0);

        assertThat(row.bySums()).isEqualTo(bySums);
        assertThat(row.byZones()).isEqualTo(byZones);
        assertThat(row.reasons()).hasToString(reasons);
    }

    @Test
    void followsFromTheNodeByDefault() {
        add("n", 0, 0);

        assertThat(counted().report().rows())
                .extracting(Row::reference, row -> row.sizes().first(), Row::bySums, Row::byZones)
                .containsExactly(
                        tuple("cpu-zone", "cpu=4,memory=1Gi", 2L, 2L),
                        tuple("nvidia-gpu-1", "cpu=2,memory=14Gi,nvidia.com/gpu=1", 2L, 2L),
                        tuple("nvidia-gpu-2", "cpu=4,memory=28Gi,nvidia.com/gpu=2", 1L, 0L));
    }

    @Test
    void sumsByPoolAndForgetsNodes() {
        add("n", 2, 2);
        add("m", 2, 2);
        StrandedCapacity capacity = new StrandedCapacity(
                cluster.state,
                ReferencePods.of(List.of("a:cpu=4,memory=1Gi")),
                node -> node.name().equals("n") ? "one" : "two");
        assertThat(capacity.update(1)).isEqualTo(1);
        assertThat(capacity.report().complete()).isFalse();
        assertThat(capacity.update(10)).isEqualTo(1);
        assertThat(capacity.update(10)).isZero();
        assertThat(capacity.report().complete()).isTrue();
        assertThat(capacity.report().rows())
                .extracting(Row::pool, Row::stranded)
                .containsExactly(tuple("one", 1L), tuple("two", 1L));

        cluster.deletePod("n0");
        cluster.state.nodeDeleted("m");
        capacity.update(10);

        assertThat(capacity.report().rows()).extracting(Row::pool, Row::byZones).containsExactly(tuple("one", 1L));
        assertThat(capacity.nodes("a")).isEmpty();
    }

    @Test
    void leavesANodeInSeveralStatesToTheNextUpdateOnce() {
        add("n", 2, 2);
        StrandedCapacity capacity = counted("a:cpu=4,memory=1Gi");
        cluster.apply(ClusterYaml.terminating(ClusterYaml.running("n0", "n", "cpu: 2, memory: 1Gi", "1-2")));

        assertThat(capacity.update(10)).isZero();
        assertThat(capacity.update(10)).isEqualTo(1);
        assertThat(capacity.update(10)).isZero();
    }

    @Test
    void leavesOutNodesThatTakeNoPods() {
        add("n", 2, 2);
        cluster.apply(node("m")
                .replace("metadata: {name: m}\nstatus:", "metadata: {name: m}\nspec: {unschedulable: true}\nstatus:"));
        cluster.apply("---\nkind: Node\nmetadata: {name: bare}\n");

        StrandedReport report = counted("a:cpu=4,memory=1Gi").report();

        assertThat(report.nodes()).isEqualTo(1);
        assertThat(report.closed()).isEqualTo(1);
        assertThat(report.unknown()).isEqualTo(1);
        assertThat(report.rows()).extracting(Row::nodes).containsExactly(1);
    }

    @Test
    void findsAPodWhoseMoveMakesRoom() {
        add("n", 2, 2);
        add("m", 2, 0);

        List<Proposal> found = moves(Optional::of, DisruptionBudgets.NONE);

        assertThat(found).hasSize(1);
        assertThat(found.get(0).frees()).isEqualTo(1);
        assertThat(found.get(0).moves())
                .extracting(move -> move.pod().key(), MoveSearch.Move::node, MoveSearch.Move::target)
                .containsExactly(tuple("default/n0", "n", "m"));
    }

    @Test
    void proposesNothingAgainstABudgetOrForAPodThatIsGone() {
        add("n", 2, 2);
        add("m", 2, 0);

        assertThat(moves(Optional::of, budget(0))).isEmpty();
        assertThat(moves(any -> Optional.empty(), DisruptionBudgets.NONE)).isEmpty();
    }

    /** On the other node, it would take the only free zone. Both pods together would gain more, against the budget. */
    @Test
    void proposesNothingThatOnlyMovesTheShortage() {
        add("n", 2, 2);
        add("m", 4, 0);

        assertThat(moves(Optional::of, budget(1))).isEmpty();
        assertThat(moves(Optional::of, budget(2)))
                .singleElement()
                .satisfies(both -> assertThat(both.moves()).hasSize(2))
                .extracting(Proposal::frees)
                .isEqualTo(1);
    }

    private static DisruptionBudgets budget(int allowed) {
        LabelSelector everything = new LabelSelector(List.of(), Map.of());
        return new DisruptionBudgets(List.of(new DisruptionBudget("default", "all", Optional.of(everything), allowed)));
    }

    private List<Proposal> moves(Function<PodFacts, Optional<PodFacts>> constrained, DisruptionBudgets budgets) {
        StrandedCapacity capacity = counted("a:cpu=4,memory=1Gi");
        return MoveSearch.finder(cluster.state, capacity, constrained, () -> budgets)
                .find("a");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            gpu                          | invalid reference pod: 'gpu': it begins with no name
            A:cpu=1                      | it begins with no name of small letters
            a:                           | '' is no RESOURCE=AMOUNT
            a:cpu                        | 'cpu' is no RESOURCE=AMOUNT
            a:cpus=1                     | 'cpus' is no name of a resource
            a:cpu=1,cpu=2                | cpu is there twice
            a:cpu=x                      | invalid reference pod: 'a:cpu=x': cpu:
            a:cpu=0                      | cpu is '0'; use an amount above 0
            a:nvidia.com/gpu=500m        | nvidia.com/gpu is '500m'; use an amount above 0, and whole devices
            a:cpu=1,gpu-links=preferred  | gpu-links is 'preferred'; use required
            a:gpu-links=required         | it requests nothing
            """)
    void namesWhatIsWrong(String text, String sentence) {
        assertThatThrownBy(() -> ReferencePods.of(List.of(text)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void boundsThem() {
        assertThatThrownBy(() -> ReferencePods.of(List.of("a:cpu=1", "a:cpu=2")))
                .hasMessage("two reference pods have the same name: 'a'; rename one");
        assertThatThrownBy(() -> ReferencePods.of(Collections.nCopies(21, "a:cpu=1")))
                .hasMessage("too many reference pods: 21; use 20 at most");
        String text = "a:cpu=1,memory=1Gi,nvidia.com/gpu=2,gpu-links=required";
        assertThat(ReferencePod.parse(text)).hasToString(text);
    }

    private StrandedCapacity counted(String... references) {
        StrandedCapacity capacity =
                new StrandedCapacity(cluster.state, ReferencePods.of(List.of(references)), node -> "");
        capacity.update(Integer.MAX_VALUE);
        return capacity;
    }

    private static String node(String name) {
        return ClusterYaml.node(name)
                .replace("allocatable: {nvidia", "allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\", nvidia");
    }

    /** A pod in each zone, with so many CPUs. */
    private void add(String name, int zone0, int zone1) {
        cluster.apply(node(name));
        for (int zone = 0; zone < 2; zone++) {
            int cpus = zone == 0 ? zone0 : zone1;
            int first = zone == 0 ? 1 : 5;
            if (cpus > 0) {
                cluster.apply(ClusterYaml.running(
                        name + zone,
                        name,
                        "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                        first + "-" + (first + cpus - 1)));
            }
        }
    }
}
