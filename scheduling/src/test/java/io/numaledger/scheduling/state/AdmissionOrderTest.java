package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** A kubelet that learns of several pods at once admits the oldest first, in whatever order they were bound. Two zones of 4 CPUs. */
class AdmissionOrderTest {

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void node() {
        cluster.apply(ClusterYaml.node("n"));
    }

    /** @param second of its creation */
    private static PodFacts pod(String name, int cpus, int second) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                name,
                "cpu: \"%d\", memory: 1Gi".formatted(cpus),
                ", creationTimestamp: \"2026-01-01T00:00:%02dZ\"".formatted(second),
                "",
                ""));
    }

    private boolean bind(PodFacts pod) {
        return cluster.state
                .binds()
                .bind("n", pod, evaluation -> evaluation.orElseThrow().admits());
    }

    private List<String> zonesOf(String name) {
        return cluster.state
                .snapshots("n")
                .orElseThrow()
                .snapshots()
                .flatMap(snapshot -> snapshot.pods().stream())
                .filter(held -> held.key().equals("default/" + name))
                .map(held -> held.placement().zones().keySet().toString())
                .toList();
    }

    @Test
    void podsThatWereBoundInAnotherOrderAddAState() {
        assertThat(bind(pod("young", 3, 2))).isTrue();
        assertThat(bind(pod("old", 2, 1))).isTrue();

        assertThat(zonesOf("young")).containsExactly("[0]", "[1]");
        assertThat(zonesOf("old")).containsExactly("[1]", "[0]");
    }

    @Test
    void podsThatWereBoundInOrderAddNone() {
        assertThat(bind(pod("old", 2, 1))).isTrue();
        assertThat(bind(pod("young", 3, 2))).isTrue();

        assertThat(zonesOf("young")).containsExactly("[1]");
    }

    /** Whether node n ranks higher (positive) or lower (negative) than a node with one free zone. */
    private int rank(PodFacts pod) {
        cluster.apply(ClusterYaml.node("half"), ClusterYaml.running("other", "half", "cpu: \"4\", memory: 1Gi", "5-8"));
        List<Evaluation> evaluations = cluster.evaluate(List.of("n", "half"), pod);
        assertThat(evaluations).allMatch(Evaluation::admits);
        return Long.compare(evaluations.get(0).rank(), evaluations.get(1).rank());
    }

    @Test
    void aNodeWithOneStateRanksByTheCriteria() {
        bind(pod("old", 2, 1));
        bind(pod("young", 3, 2));

        assertThat(rank(pod("next", 1, 3))).isPositive();
    }

    @Test
    void aNodeWithSeveralStatesRanksBehindOthersForPodsThatNeedAlignment() {
        bind(pod("young", 3, 2));
        bind(pod("old", 2, 1));

        assertThat(rank(pod("next", 1, 3))).isNegative();
        assertThat(rank(ClusterYaml.parsePod(ClusterYaml.pod("any", "", "", "", "")
                        .replace("qosClass: Guaranteed", "qosClass: BestEffort"))))
                .isZero();
    }

    /** Nine pods in flight in reverse order: only the last eight are moved. */
    @Test
    void nothingThatNeedsAlignmentIsBoundWhereNotAllOrdersAreFollowed() {
        cluster.apply(twoZonesOf10());
        for (int i = 0; i < 9; i++) {
            assertThat(bind(pod("p" + i, 1, 30 - i))).as("pod %d", i).isTrue();
        }

        Evaluation next = cluster.evaluate(List.of("n"), pod("next", 1, 1)).get(0);
        assertThat(next).isInstanceOf(Refused.class);
        assertThat(((Refused) next).reason()).isEqualTo(RefusalReason.PODS_IN_FLIGHT);
        assertThat(bind(pod("next", 1, 1))).isFalse();
        PodFacts burstable = ClusterYaml.parsePod(
                ClusterYaml.pod("b", "memory: 1Gi", "", "", "").replace("Guaranteed", "Burstable"));
        assertThat(cluster.evaluate(List.of("n"), burstable).get(0).admits()).isTrue();

        for (int i = 0; i < 9; i++) {
            cluster.apply(ClusterYaml.running("p" + i, "n", "cpu: \"1\", memory: 1Gi", String.valueOf(1 + i)));
        }
        assertThat(bind(pod("next", 1, 1))).as("all are observed").isTrue();
    }

    private static String twoZonesOf10() {
        return ClusterYaml.node("n")
                .replace("value: 0-4", "value: 0-10")
                .replace("\"0:0;1:1;2:2;3:3;4:4\"", "\"0:0;1:1;2:2;3:3;4:4;5:5;6:6;7:7;8:8;9:9;10:10\"")
                .replace("\"0:0-4\"", "\"0:0-10\"")
                .replace("value: 5-8", "value: 11-20")
                .replace("\"5:5;6:6;7:7;8:8\"", "\"11:11;12:12;13:13;14:14;15:15;16:16;17:17;18:18;19:19;20:20\"")
                .replace("\"1:5-8\"", "\"1:11-20\"")
                .replace(
                        "capacity: \"5\", allocatable: \"4\", available: \"4\"",
                        "capacity: \"11\", allocatable: \"10\", available: \"10\"")
                .replace(
                        "capacity: \"4\", allocatable: \"4\", available: \"4\"",
                        "capacity: \"10\", allocatable: \"10\", available: \"10\"");
    }
}
