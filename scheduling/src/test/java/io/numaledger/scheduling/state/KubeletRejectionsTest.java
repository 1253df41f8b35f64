package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Pods that this bridge bound and a kubelet rejected. */
class KubeletRejectionsTest {

    private static final String UNKNOWN_NODE = """
            ---
            apiVersion: v1
            kind: Node
            metadata: {name: n}
            status: {nodeInfo: {kubeletVersion: v1.36.3}}
            """;
    private static final String RESOURCES = "cpu: \"4\", memory: 1Gi";

    private final List<String> rejected = new ArrayList<>();
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final TestCluster cluster = new TestCluster(
            new ReservationListener() {
                @Override
                public void released(PodFacts pod, PodInFlight reservation) {}

                @Override
                public void rejected(PodFacts pod, Evaluation evaluation) {
                    rejected.add(pod.key() + " " + pod.reason().orElse("") + " "
                            + evaluation.getClass().getSimpleName());
                }
            },
            () -> now);

    /** Binds a pod to the node and shows it in this status. */
    private void bind(String name, String status) {
        PodFacts pod = ClusterYaml.pending(name, RESOURCES);
        cluster.state.podChanged(pod);
        assertThat(cluster.state
                        .binds()
                        .<Boolean>bind(
                                "n", pod, evaluation -> evaluation.orElseThrow().admits()))
                .isTrue();
        show(name, status);
    }

    private void show(String name, String status) {
        cluster.apply(ClusterYaml.pod(name, RESOURCES, "", "  nodeName: n", status));
    }

    private static final String REJECTED = ", phase: Failed, reason: TopologyAffinityError";

    private Evaluation evaluate(String resources) {
        PodFacts pod = ClusterYaml.pending("x", resources);
        Evaluation evaluation = cluster.evaluate(List.of("n"), pod).get(0);
        assertThat(cluster.binds("n", pod)).as("bind decides as filter does").isEqualTo(evaluation.admits());
        return evaluation;
    }

    private boolean admits() {
        return evaluate(RESOURCES).admits();
    }

    @Test
    void areCountedOnANodeWithZones() {
        cluster.apply(ClusterYaml.node("n"));
        bind("a", REJECTED);
        show("a", REJECTED);
        assertThat(rejected).containsExactly("default/a TopologyAffinityError Fits");
    }

    @Test
    void areCountedOnANodeWithoutZones() {
        cluster.apply(UNKNOWN_NODE);
        bind("a", REJECTED);
        assertThat(rejected).containsExactly("default/a TopologyAffinityError Unknown");
    }

    @Test
    void areNotPodsThatFailedAfterTheyRanOrThatOthersBound() {
        cluster.apply(ClusterYaml.node("n"));
        bind("ran", ", phase: Running");
        show("ran", ", phase: Failed, reason: Evicted");
        show("static", REJECTED);
        assertThat(rejected).isEmpty();
        assertThat(admits()).isTrue();
    }

    @Test
    void keepEqualPodsFromTheNodeForAGrowingTime() {
        cluster.apply(ClusterYaml.node("n"));
        bind("a", REJECTED);

        Evaluation refused = evaluate(RESOURCES);
        assertThat(refused).isInstanceOf(Refused.class);
        assertThat(PodNames.ALL.text(((Refused) refused).message()))
                .isEqualTo(
                        "the kubelet rejected an equal pod (TopologyAffinityError); the next attempt is at 2026-01-01T00:00:11Z");
        assertThat(((Refused) refused).summary())
                .isEqualTo("the kubelet rejected an equal pod (TopologyAffinityError)");
        Explanation explained = Explanation.ofAll(cluster.state, ClusterYaml.pending("x", RESOURCES))
                .get(0);
        assertThat(explained.schedulable()).isFalse();
        assertThat(explained.evaluation()).isEqualTo(refused);
        assertThat(evaluate("cpu: \"2\", memory: 1Gi").admits())
                .as("another request")
                .isTrue();

        assertThat(secondsUntilAdmitted()).isEqualTo(11);
        bind("b", REJECTED);
        assertThat(secondsUntilAdmitted()).isEqualTo(21);
        for (int i = 0; i < 8; i++) {
            bind("c" + i, REJECTED);
            now = now.plus(KubeletRejections.MAX_BACK_OFF).plusSeconds(1);
            assertThat(admits()).isTrue();
        }
        assertThat(rejected).hasSize(10);
    }

    @Test
    void sayWhatTheDevicePluginSaid() {
        cluster.apply(ClusterYaml.node("n"));
        bind(
                "a",
                ", phase: Failed, reason: UnexpectedAdmissionError, message: \"Pod was rejected: Allocate failed due to rpc error:"
                        + " code = Unknown desc = maximum request size for shared resources is 1; found 2 for default/a,\\n\\e[2J which is unexpected\"");

        Refused refused = (Refused) evaluate(RESOURCES);
        String sentence =
                "the kubelet rejected an equal pod (UnexpectedAdmissionError: Allocate failed due to rpc error: code = Unknown desc = maximum request size for shared resources is 1; found 2 for POD, \\u001b[2J which is unexpected)";
        assertThat(refused.summary()).isEqualTo(sentence);
        assertThat(PodNames.of("other").text(refused.message()))
                .isEqualTo(sentence + "; the next attempt is at 2026-01-01T00:00:11Z");
    }

    @Test
    void quoteNoMoreThanTheBeginOfALongSentence() {
        cluster.apply(ClusterYaml.node("n"));
        bind(
                "a",
                ", phase: Failed, reason: UnexpectedAdmissionError, message: \"%s\"".formatted("\\e".repeat(100_000)));

        assertThat(((Refused) evaluate(RESOURCES)).summary())
                .hasSizeLessThan(330)
                .endsWith("\u2026)");
    }

    @Test
    void endTheBackOffWhenAnEqualPodRuns() {
        cluster.apply(ClusterYaml.node("n"));
        bind("a", REJECTED);
        secondsUntilAdmitted();
        bind("b", ", phase: Running");
        cluster.deletePod("b");
        bind("c", REJECTED);
        assertThat(secondsUntilAdmitted()).as("as after a first rejection").isEqualTo(11);
    }

    private long secondsUntilAdmitted() {
        Instant begin = now;
        while (!admits()) {
            now = now.plusSeconds(1);
            cluster.state.expire();
        }
        return Duration.between(begin, now).toSeconds();
    }
}
