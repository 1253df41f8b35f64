package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Zone 0 has the CPUs 1 to 4, of which the kubelet gives 1 and 2 to nobody. Zone 1 has 4, all of them held. */
class UnheldCpusTest {

    private final TestCluster cluster = new TestCluster();

    private static String node() {
        return ClusterYaml.nodeOfAgent("n", 2, 0, "default/a")
                .replace("attributes:\n- {name: topologyManagerPolicy", """
                        attributes:
                        - {name: unheldCpus, value: 1-2}
                        - {name: topologyManagerPolicy""");
    }

    private static PodFacts pod(int cpus) {
        return ClusterYaml.parsePod(ClusterYaml.pod("p", "cpu: \"%d\", memory: 1Gi".formatted(cpus), "", "", ""));
    }

    @Test
    void nobodyGetsThem() {
        cluster.apply(node(), ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "5-8"));

        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.EXACT);
        assertThat(Explanation.ofAll(cluster.state, pod(2)).get(0).schedulable())
                .isTrue();
        Explanation refused = Explanation.ofAll(cluster.state, pod(3)).get(0);
        assertThat(refused.schedulable()).isFalse();
        assertThat(refused.evaluation().toString()).contains("the kubelet's state file");
        assertThat(refused.advice().toString()).contains("the pod would fit without ", "default/a");
        assertThat(Explanation.ofAll(cluster.state, pod(5)).get(0).advice().map(Object::toString))
                .hasValueSatisfying(advice -> assertThat(advice).contains("even without other pods"));
    }

    @Test
    void aNodeWithoutPodsIsExactToo() {
        cluster.apply(node().replace("available: \"0\"", "available: \"4\""));

        assertThat(cluster.snapshot("n").assumptions()).isEmpty();
        assertThat(cluster.snapshot("n")
                        .now()
                        .orElseThrow()
                        .cpus()
                        .orElseThrow()
                        .shared())
                .hasToString("0,3-8");
    }

    /** Without the kubelet's state files, the agent cannot see whether there are any. */
    @ParameterizedTest
    @CsvSource({"true, published, EXACT", "true, unknown, PREDICTED", "false, unknown, EXACT"})
    void isNotExactWhereTheyCannotBeSeen(boolean gate, String stateFiles, Confidence confidence) {
        cluster.apply(ClusterYaml.nodeOfAgent("n", 4, 4)
                .replace("value: published", "value: " + stateFiles)
                .replace("attributes:\n- {name: topologyManagerPolicy", """
                        attributes:
                        - {name: featureGatePodLevelResourceManagers, value: "%s"}
                        - {name: topologyManagerPolicy""".formatted(gate)));

        assertThat(cluster.snapshot("n").confidence()).isEqualTo(confidence);
    }
}
