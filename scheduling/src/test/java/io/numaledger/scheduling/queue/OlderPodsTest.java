package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestClaims;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.state.NodeNames;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of two zones with 4 CPUs each; zone 0 is full. A pod of one CPU would run there. */
class OlderPodsTest {

    private final TestCluster cluster = new TestCluster();

    private static PodFacts pod(String name, int cpus) {
        return ClusterYaml.pending(name, "cpu: \"%d\", memory: 1Gi".formatted(cpus));
    }

    private NodeNames names() {
        return NodeNames.of(cluster.state.index(), List.of("n"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the older pod needs the whole zone | 4 | true
            both have room                     | 1 | false
            the older pod does not fit anyway  | 5 | false
            """)
    void aNodeIsReservedForAPodThatWouldHaveNoRoomBesideAnother(String situation, int older, boolean reserved) {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "1-4"));
        OlderPods pods = new OlderPods(
                cluster.state,
                cluster.evaluator,
                pod("younger", 1),
                List.of(new PendingPod(pod("older", older), 0, 0)),
                new RefusingNodes(),
                new EvaluationBudget(1_000_000_000));

        assertThat(pods.reservedFor(names(), 0).isPresent()).isEqualTo(reserved);
    }

    @ParameterizedTest
    @CsvSource({"0, true", "1, false"})
    void aNodeIsNotReservedForAPodWhoseDevicesWouldLieElsewhere(int numaNode, boolean reserved) {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "5-8"));
        TestClaims claims = new TestClaims(cluster.state.claims());
        claims.devices("n", numaNode);
        claims.claim("older", 1);
        OlderPods pods = new OlderPods(
                cluster.state,
                cluster.evaluator,
                pod("younger", 1),
                List.of(new PendingPod(TestClaims.pod("older", "cpu: \"4\", memory: 1Gi", "required"), 0, 0)),
                new RefusingNodes(),
                new EvaluationBudget(1_000_000_000));

        assertThat(pods.reservedFor(names(), 0).isPresent()).isEqualTo(reserved);
    }

    @ParameterizedTest
    @CsvSource({"1, true", "2, false"})
    void aDeviceIsKeptForAnOlderPod(int devices, boolean reserved) {
        cluster.apply(ClusterYaml.node("n"));
        TestClaims claims = new TestClaims(cluster.state.claims());
        claims.devices("n", new int[devices]);
        claims.claim("older", 1);
        claims.claim("younger", 1);
        OlderPods pods = new OlderPods(
                cluster.state,
                cluster.evaluator,
                TestClaims.pod("younger", "cpu: \"1\", memory: 1Gi", "none"),
                List.of(new PendingPod(TestClaims.pod("older", "cpu: \"1\", memory: 1Gi", "none"), 0, 0)),
                new RefusingNodes(),
                new EvaluationBudget(1_000_000_000));

        assertThat(pods.reservedFor(names(), 0).isPresent()).isEqualTo(reserved);
    }

    @Test
    void aNodeThatRefusedTheOlderPodIsEvaluatedAgainOnceItHasChanged() {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", "cpu: \"4\", memory: 1Gi", "1-4"),
                ClusterYaml.running("b", "n", "cpu: \"1\", memory: 1Gi", "5"));
        List<PendingPod> older = List.of(new PendingPod(pod("older", 4), 0, 0));
        RefusingNodes refusing = new RefusingNodes().of(older);
        OlderPods before = new OlderPods(
                cluster.state,
                cluster.evaluator,
                pod("younger", 1),
                older,
                refusing,
                new EvaluationBudget(1_000_000_000));

        assertThat(before.reservedFor(names(), 0)).isEmpty();
        assertThat(before.reservedFor(names(), 0)).isEmpty();

        cluster.state.podDeleted(cluster.state.pods().get("default/b").orElseThrow());
        cluster.apply(ClusterYaml.node("n"));
        OlderPods after = new OlderPods(
                cluster.state,
                cluster.evaluator,
                pod("younger", 1),
                older,
                refusing.of(older),
                new EvaluationBudget(1_000_000_000));

        assertThat(after.reservedFor(names(), 0)).isPresent();
    }
}
