package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of two zones with 4 CPUs each. */
class AdviceTest {

    private static final PodFacts FOUR = ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi");

    private final TestCluster cluster = new TestCluster();

    private static String running(String name, String cpus) {
        int count = CpuSet.parse(cpus).size();
        return ClusterYaml.running(name, "n", "cpu: \"%d\", memory: 1Gi".formatted(count), cpus);
    }

    private Optional<String> advice(PodFacts pod) {
        return Explanation.ofAll(cluster.state, pod).get(0).advice().map(PodNames.ALL::text);
    }

    @Test
    void hasNoneForAPodThatFits() {
        cluster.apply(ClusterYaml.node("n"));

        assertThat(advice(FOUR)).isEmpty();
    }

    @Test
    void waitsForTerminatingPods() {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.terminating(running("a", "1-4")), running("b", "5-8"));

        assertThat(advice(FOUR)).contains("wait: the pod fits as soon as the terminating pods have ended");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            cordoned             | unschedulable: true                                                                    | uncordon the node: the pod would fit then
            and tainted, too     | unschedulable: true, taints: [{key: example.com/gpu, effect: NoSchedule}]              |
            not cordoned         | taints: [{key: example.com/gpu, effect: NoSchedule}]                                   |
            """)
    void uncordonsANodeThatNothingElseKeepsFree(String situation, String spec, String advice) {
        String node = ClusterYaml.node("n");
        cluster.apply(node.replaceFirst("(?m)^(metadata: [{]name: n[}])$", "$1\nspec: {%s}".formatted(spec)));

        assertThat(advice(FOUR)).isEqualTo(Optional.ofNullable(advice));
    }

    @Test
    void namesOnePodWhoseEndHelps() {
        cluster.apply(ClusterYaml.node("n"), running("a", "1"), running("b", "2"), running("c", "5"));

        assertThat(advice(FOUR)).contains("the pod would fit without default/c");
    }

    @Test
    void namesTwoPodsWhereOneIsNotEnough() {
        cluster.apply(
                ClusterYaml.node("n"), running("a", "1"), running("b", "2"), running("c", "5"), running("d", "6"));

        assertThat(advice(FOUR)).contains("the pod would fit without default/a and default/b");
    }

    @Test
    void givesUpBeyondTwoPods() {
        cluster.apply(
                ClusterYaml.node("n"),
                running("a", "1"),
                running("b", "2"),
                running("c", "3"),
                running("d", "5"),
                running("e", "6"),
                running("f", "7"));

        assertThat(advice(FOUR)).contains("more than two other pods would have to end");
    }

    @Test
    void recommendsASmallerRequestWhereTheEmptyNodeIsTooSmall() {
        cluster.apply(ClusterYaml.node("n"));

        assertThat(advice(ClusterYaml.pending("x", "cpu: \"60\", memory: 1Gi")))
                .contains("the pod does not fit this node even without other pods; it would fit with 4 cpu");
    }

    /** The node has two zones of 4 CPUs and a GPU each, and no amd.com/gpu. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            cpu: "9", memory: 1Gi                            | it would fit with 4 cpu
            cpu: "9", memory: 1Gi, amd.com/gpu: "9"          |
            cpu: "12", memory: 1Gi, nvidia.com/gpu: "9"      |
            cpu: "4", memory: 1Gi, nvidia.com/gpu: "9"       | it would fit with 1 nvidia.com/gpu
            cpu: "9", memory: 20Gi                           |
            cpu: "4", memory: 20Gi                           | it would fit with 16Gi memory
            cpu: "4", memory: 1Gi, amd.com/gpu: "1"          |
            """)
    void recommendsASmallerRequestOnlyIfNothingElseIsAgainstIt(String limits, String smaller) {
        cluster.apply(ClusterYaml.node("n").replace("allocatable: {", "allocatable: {memory: 16Gi, cpu: \"8\", "));

        assertThat(advice(ClusterYaml.pending("x", limits)).orElse(""))
                .matches(said -> smaller == null ? !said.contains("would fit") : said.endsWith("; " + smaller));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            a cordon     | spec: {unschedulable: true}                                        |
            a taint      | spec: {taints: [{key: a, effect: NoSchedule}]}                     |
            a selector   | spec: {}                                                           | nodeSelector: {disk: ssd}
            """)
    void saysNothingWhereTheNodeIsNoneForThePod(String situation, String spec, String selector) {
        cluster.apply(
                ClusterYaml.node("n")
                        .replace("metadata: {name: n}\nstatus", "metadata: {name: n}\n%s\nstatus".formatted(spec)),
                running("a", "1-4"),
                running("b", "5-8"));

        for (String cpus : List.of("4", "60")) {
            assertThat(advice(ClusterYaml.parsePod(ClusterYaml.pod(
                            "x",
                            "cpu: \"%s\", memory: 1Gi".formatted(cpus),
                            "",
                            selector == null ? "" : "  " + selector,
                            ""))))
                    .isEmpty();
        }
    }

    @Test
    void namesPodsWhoseEndMakesRoomInTheSums() {
        cluster.apply(
                ClusterYaml.node("n").replace("allocatable: {", "allocatable: {memory: 16Gi, pods: \"2\", "),
                running("a", "1-4"),
                ClusterYaml.pod("b", "cpu: 10m, memory: 1Gi", "", "  nodeName: n", ", phase: Running"));

        assertThat(advice(ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi")))
                .contains("the pod would fit without default/a");
        assertThat(advice(ClusterYaml.pending("x", "cpu: \"4\", memory: 16Gi")))
                .contains("the pod would fit without default/a and default/b");
    }

    @Test
    void doesNotNameAPodWhoseEndLeavesTheSumsShort() {
        cluster.apply(
                ClusterYaml.node("n").replace("allocatable: {", "allocatable: {memory: 16Gi, "),
                running("a", "1-4"),
                running("b", "5"),
                ClusterYaml.pod("big", "cpu: 10m, memory: 16Gi", "", "  nodeName: n", ", phase: Running"));

        assertThat(advice(ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi")))
                .contains("the pod would fit without default/a and default/big");
    }

    @Test
    void saysBothWhereTheOthersAndTheRequestAreTooLarge() {
        cluster.apply(ClusterYaml.node("n"), running("a", "1-4"), running("b", "5-8"));

        assertThat(advice(ClusterYaml.pending("x", "cpu: \"60\", memory: 1Gi")))
                .contains(
                        "the pod does not fit this node even without other pods; without them, it would fit with 4 cpu");
    }

    @Test
    void saysNothingOfAnInvalidAnnotation() {
        cluster.apply(ClusterYaml.node("n"));

        PodFacts invalid = ClusterYaml.parsePod(ClusterYaml.pod(
                "x", "cpu: \"60\", memory: 1Gi", ", annotations: {kai.scheduler/max-numa-spread: many}", "", ""));
        assertThat(advice(invalid)).isEmpty();
    }

    @Test
    void triesEveryPodOfTheNode() {
        String[] objects = new String[31];
        objects[0] = ClusterYaml.node("n");
        for (int i = 0; i < 28; i++) {
            objects[i + 1] = ClusterYaml.pod("a%02d".formatted(i), "cpu: 10m", "", "  nodeName: n", ", phase: Running");
        }
        objects[29] = running("y", "1-3");
        objects[30] = running("z", "5-8");
        cluster.apply(objects);

        assertThat(advice(FOUR)).contains("the pod would fit without default/y");
    }

    @Test
    void explainsAPodThatRunsAsIfItHadEnded() {
        cluster.apply(ClusterYaml.node("n"), running("a", "1-4"), running("b", "5-8"));

        PodFacts running = cluster.state.pods().get("default/a").orElseThrow();
        Explanation explanation = Explanation.ofAll(cluster.state, running).get(0);
        assertThat(explanation.evaluation()).isInstanceOf(Fits.class);
        assertThat(((Fits) explanation.evaluation()).placement().orElseThrow().placement())
                .isEqualTo(((Fits) Explanation.ofAll(
                                        cluster.state,
                                        List.of("default/a"),
                                        ClusterYaml.pending("other", "cpu: \"4\", memory: 1Gi"))
                                .get(0)
                                .evaluation())
                        .placement()
                        .orElseThrow()
                        .placement());
    }

    @Test
    void explainsWhatWouldBeAfterAnEviction() {
        cluster.apply(ClusterYaml.node("n"), running("a", "1-4"), running("b", "5-8"));

        assertThat(Explanation.ofAll(cluster.state, List.of("default/a"), FOUR)
                        .get(0)
                        .evaluation()
                        .admits())
                .isTrue();
        assertThat(Explanation.ofAll(cluster.state, List.of("default/other"), FOUR)
                        .get(0)
                        .evaluation()
                        .admits())
                .isFalse();
    }
}
