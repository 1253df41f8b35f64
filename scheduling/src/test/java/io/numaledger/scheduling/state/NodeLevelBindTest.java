package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What pods request of a node as a whole, when they are bound: schedulers do not know what others have just bound there. Node {@code n} has
 * 7 CPUs, 8 GiB of memory, 10 GiB of storage, two GPUs and places for three pods. All pods are Burstable, so that they hold nothing of a zone.
 */
class NodeLevelBindTest {

    private static final String NODE = ClusterYaml.node("n")
            .replace(
                    "allocatable: {nvidia.com/gpu: \"2\"}",
                    "allocatable: {cpu: \"7\", memory: 8Gi, ephemeral-storage: 10Gi, pods: \"3\", nvidia.com/gpu: \"2\"}");

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void node() {
        cluster.apply(NODE);
    }

    private static String burstable(String name, String requests, String spec, String status) {
        return ClusterYaml.pod(name, requests, "", spec, status)
                .replace("limits:", "requests:")
                .replace("Guaranteed", "Burstable");
    }

    private static String runs(String name, String requests) {
        return burstable(name, requests, "  nodeName: n", ", phase: Running");
    }

    private static PodFacts pod(String name, String requests) {
        return ClusterYaml.parsePod(burstable(name, requests, "", ", phase: Pending"));
    }

    /** Extended resources have limits. */
    private static PodFacts limited(String name, String limits) {
        return ClusterYaml.parsePod(
                ClusterYaml.pod(name, limits, "", "", ", phase: Pending").replace("Guaranteed", "Burstable"));
    }

    private Evaluation bind(PodFacts pod) {
        return cluster.state.binds().bind("n", pod, evaluation -> evaluation.orElseThrow());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            cpu of the others     | cpu: 4                     | cpu: 4                     | needs 4 cpu; other pods request all but 3 of 7
            more cpu than it has  | cpu: 1                     | cpu: 8                     | needs 8 cpu; the node has 7 allocatable
            memory                | memory: 6Gi                | memory: 3Gi                | needs 3Gi memory; other pods request all but 2Gi of 8Gi
            ephemeral storage     | ephemeral-storage: 6Gi     | ephemeral-storage: 6Gi     | needs 6Gi ephemeral-storage; other pods request all but 4Gi of 10Gi
            """)
    void refusesWhatTheKubeletWouldRefuse(String what, String others, String asked, String reason) {
        cluster.apply(runs("other", others));

        assertThat(bind(pod("p", asked))).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(RefusalReason.NODE_DOES_NOT_FIT);
            assertThat(refused.summary()).isEqualTo(reason);
        });
    }

    @Test
    void countsPods() {
        cluster.apply(runs("a", "cpu: 100m"), runs("b", "cpu: 100m"), runs("c", "cpu: 100m"));

        assertThat(bind(pod("p", "cpu: 100m")))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.summary())
                                .isEqualTo("needs a place for one more pod; other pods request all but 0 of 3"));
    }

    @Test
    void countsExtendedResourcesOfPodsThatHaveNoZones() {
        cluster.apply(
                NODE.substring(0, NODE.indexOf("---\napiVersion: topology")).replace("name: n}", "name: bare}"));
        PodFacts first = limited("first", "nvidia.com/gpu: 2");
        cluster.state.binds().bind("bare", first, evaluation -> evaluation);

        assertThat(cluster.binds("bare", limited("p", "nvidia.com/gpu: 1"))).isFalse();
        assertThat(cluster.binds("bare", pod("q", "cpu: 1"))).isTrue();
    }

    /** As the kubelet does: another program may count it. */
    @Test
    void ignoresAResourceThatTheNodeDoesNotReport() {
        assertThat(cluster.binds("n", limited("p", "example.com/licence: 1"))).isTrue();
    }

    @Test
    void aPodInFlightIsCountedUntilItsBindHasFailed() {
        PodFacts first = pod("first", "cpu: 4");
        assertThat(bind(first).admits()).isTrue();
        assertThat(cluster.binds("n", pod("p", "cpu: 4"))).isFalse();
        assertThat(cluster.binds("n", pod("q", "cpu: 3"))).isTrue();

        cluster.state.binds().cancel("n", first);
        assertThat(cluster.binds("n", pod("p", "cpu: 4"))).isTrue();
    }

    @Test
    void aPodThatTheWatchShowsIsCountedOnce() {
        assertThat(bind(pod("first", "cpu: 4")).admits()).isTrue();
        cluster.apply(burstable("first", "cpu: 4", "  nodeName: n", ", phase: Pending"));

        assertThat(cluster.binds("n", pod("p", "cpu: 3"))).isTrue();
        cluster.deletePod("first");
        assertThat(cluster.binds("n", pod("p", "cpu: 7"))).isTrue();
    }

    @Test
    void aTerminatingPodIsCountedUntilItHasEnded() {
        String other = runs("other", "cpu: 4");
        cluster.apply(ClusterYaml.terminating(other));
        assertThat(cluster.binds("n", pod("p", "cpu: 4"))).isFalse();

        cluster.apply(other.replace("Running", "Succeeded"));
        assertThat(cluster.binds("n", pod("p", "cpu: 4"))).isTrue();
    }

    @Test
    void leavesRoomToAnImportantPodThatIsNominated() {
        cluster.apply(burstable("important", "cpu: 4", "  priority: 10", ", phase: Pending, nominatedNodeName: n"));

        assertThat(bind(pod("p", "cpu: 4")))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(RefusalReason.RESERVED_FOR_NOMINATED_POD));
        assertThat(cluster.binds("n", pod("q", "cpu: 3"))).isTrue();
    }

    @Test
    void oneOfManyThatAreBoundAtOnceIsBound() throws Exception {
        int schedulers = 8;
        CyclicBarrier start = new CyclicBarrier(schedulers);
        ExecutorService threads = Executors.newFixedThreadPool(schedulers);
        try {
            List<Future<Boolean>> binds = threads.invokeAll(IntStream.range(0, schedulers)
                    .mapToObj(i -> (Callable<Boolean>) () -> {
                        start.await();
                        return bind(pod("p" + i, "cpu: 4")).admits();
                    })
                    .toList());
            int bound = 0;
            for (Future<Boolean> each : binds) {
                bound += each.get() ? 1 : 0;
            }
            assertThat(bound).isEqualTo(1);
        } finally {
            threads.shutdownNow();
        }
    }
}
