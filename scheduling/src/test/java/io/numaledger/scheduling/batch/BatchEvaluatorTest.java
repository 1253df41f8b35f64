package io.numaledger.scheduling.batch;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.fit.EvaluationCounters.Method;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class BatchEvaluatorTest {

    private static final String CPUS_3 = "cpu: \"3\", memory: 1Gi";
    private static final PodFacts FOUR = ClusterYaml.pending("x", "cpu: \"4\", memory: 1Gi");
    private static final PodFacts WIDE = ClusterYaml.pending("x", "cpu: \"6\", memory: 1Gi");

    private final TestCluster cluster = new TestCluster();

    @Test
    void cachesResultsUntilTheNodeChanges() {
        List<String> names = IntStream.range(0, 200).mapToObj(i -> "n" + i).toList();
        names.forEach(name -> cluster.apply(ClusterYaml.node(name)));
        assertThat(cluster.evaluate(names, FOUR)).allMatch(Evaluation::admits);
        assertThat(cluster.evaluate(names, FOUR)).allMatch(Evaluation::admits);
        assertThat(cluster.evaluations(Method.FAST_PATH)).isEqualTo(200);
        assertThat(cluster.evaluations(Method.CACHE)).isEqualTo(200);

        cluster.apply(ClusterYaml.running("a", "n150", CPUS_3, "1-3"), ClusterYaml.running("b", "n150", CPUS_3, "5-7"));

        assertThat(cluster.evaluate(names, FOUR).stream().filter(Evaluation::admits))
                .hasSize(199);
        assertThat(cluster.evaluate(List.of("n150"), FOUR)).noneMatch(Evaluation::admits);
        assertThat(cluster.evaluations(Method.FAST_PATH)).isEqualTo(201);
    }

    @Test
    void forgetsTheResultsOfADeletedNodeWhoseSlotAnotherNodeGets() {
        cluster.apply(ClusterYaml.node("n"));
        assertThat(cluster.evaluate(List.of("n", "other"), WIDE))
                .extracting(Evaluation::admits)
                .containsExactly(false, true);

        cluster.state.topologyDeleted("n");
        cluster.state.nodeDeleted("n");
        cluster.apply(ClusterYaml.node("other", "restricted"));

        assertThat(cluster.evaluate(List.of("n", "other"), WIDE))
                .extracting(Evaluation::admits)
                .containsExactly(true, true);
        cluster.apply(ClusterYaml.node("other", "single-numa-node"));
        assertThat(cluster.evaluate(List.of("other"), WIDE)).noneMatch(Evaluation::admits);
    }

    @Test
    void usesTheFullModelOncePerEquivalenceClass() {
        cluster.apply(
                ClusterYaml.node("a", "none"),
                ClusterYaml.node("b", "none")
                        .replace("attributes:\n- {name: top", "attributes:\n- {name: rack, value: r7}\n- {name: top"));

        assertThat(cluster.evaluate(List.of("a", "b"), ClusterYaml.pending("x", "cpu: \"60\", memory: 1Gi")))
                .noneMatch(Evaluation::admits);

        assertThat(cluster.snapshot("b").topology().orElseThrow().attributes()).containsEntry("rack", "r7");
        assertThat(cluster.evaluations(Method.FULL_MODEL)).isEqualTo(1);
        assertThat(cluster.evaluations(Method.CACHE)).isEqualTo(1);
    }

    @Test
    void keepsTheOrderOfManyNames() {
        cluster.apply(ClusterYaml.node("narrow"), ClusterYaml.node("wide", "restricted"));
        List<String> names = IntStream.range(0, 2501)
                .mapToObj(i -> i % 3 == 0 ? "narrow" : "wide")
                .toList();

        List<Evaluation> first = cluster.evaluate(names, WIDE);

        assertThat(IntStream.range(0, names.size())).allMatch(i -> first.get(i).admits() == (i % 3 != 0));
        assertThat(cluster.evaluate(names, WIDE)).isEqualTo(first);
        assertThat(cluster.evaluations(Method.CACHE) + cluster.evaluations(Method.FAST_PATH))
                .isEqualTo(2L * names.size());
    }

    @Test
    void distinguishesNodesWhoseNamesHaveTheSameHash() {
        assertThat("node-Aa".hashCode()).isEqualTo("node-BB".hashCode());
        cluster.apply(ClusterYaml.node("node-Aa"), ClusterYaml.node("node-BB", "restricted"));
        assertThat(cluster.evaluate(List.of("node-BB", "node-Aa", "node-C#"), WIDE))
                .extracting(Evaluation::admits)
                .containsExactly(true, false, true);

        cluster.state.topologyDeleted("node-BB");
        cluster.state.nodeDeleted("node-BB");

        assertThat(cluster.evaluate(List.of("node-BB", "node-Aa"), WIDE).get(0))
                .isEqualTo(new Unknown(Sentence.of("the API server does not show this node")));
    }
}
