package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.gang.Gangs;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.queue.PendingPodQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code bind} and {@code filter} decide alike on the same cluster: a pod that filter refuses is not bound, and one that it admits is. A node of
 * two zones with 4 CPUs each has pods that run, terminate or are in flight, and is reserved for nominated pods and for plans.
 */
class BindAgreesWithFilterTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final TestCluster cluster = new TestCluster();
    private final FilterVerb filter = new FilterVerb(
            cluster.state,
            cluster.evaluator,
            new PendingPodQueue(cluster.state, cluster.evaluator, Duration.ZERO, System::nanoTime, (pod, node) -> {}),
            Gangs.none(cluster.state),
            new NoListener(),
            ZoneRefusals.unresolvable,
            CandidateLimit.DEFAULT);

    static LongStream seeds() {
        return LongStream.range(0, 600);
    }

    private boolean isLeft(PodFacts pod) throws IOException {
        String body = """
                {"Pod": {"metadata": {"name": "%s", "namespace": "default", "uid": "%s"}, "spec": {"containers": []}},
                 "NodeNames": ["n"]}""".formatted(pod.name(), pod.uid().orElseThrow());
        return !JSON.readTree(filter.answer(body.getBytes(StandardCharsets.UTF_8)))
                .path("NodeNames")
                .isEmpty();
    }

    private PodFacts pending(String name, Random random, boolean nominated) {
        String limits = "cpu: \"%d\", memory: 1Gi".formatted(1 + random.nextInt(4));
        cluster.apply(ClusterYaml.pod(
                name,
                limits,
                ", creationTimestamp: \"2026-01-01T00:00:0%dZ\"".formatted(random.nextInt(3)),
                "  priority: " + random.nextInt(3),
                ", phase: Pending" + (nominated ? ", nominatedNodeName: n" : "")));
        return cluster.state.pod("default/" + name).orElseThrow();
    }

    private void plan(PodFacts pod, long number, boolean binding) {
        assertThat(cluster.state.reserved().plan(cluster.state.use("n").orElseThrow(), number, List.of(pod)))
                .isTrue();
        if (binding) {
            cluster.state.reserved().planTaken("n", number);
        }
    }

    private void occupy(Random random) {
        for (int zone = 0; zone < 2; zone++) {
            int used = random.nextInt(4);
            if (used > 0) {
                int first = zone == 0 ? 1 : 5;
                String limits = "cpu: \"%d\", memory: 1Gi".formatted(used);
                String pod = ClusterYaml.running("u" + zone, "n", limits, first + "-" + (first + used - 1));
                cluster.apply(random.nextBoolean() ? ClusterYaml.terminating(pod) : pod);
            }
        }
        PodFacts inFlight = ClusterYaml.pending("in-flight", "cpu: \"1\", memory: 1Gi");
        cluster.state.bind("n", inFlight, evaluation -> evaluation);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void onNodesThatAreReservedForOthers(long seed) throws IOException {
        Random random = new Random(seed);
        cluster.apply(ClusterYaml.node("n"));
        occupy(random);
        for (int i = random.nextInt(3); i >= 0; i--) {
            boolean nominated = random.nextBoolean();
            PodFacts pod = pending("p" + i, random, nominated);
            if (!nominated || random.nextInt(4) == 0) {
                plan(pod, 1 + random.nextInt(2), random.nextInt(4) == 0);
            }
        }
        PodFacts newcomer = pending("newcomer", random, random.nextInt(4) == 0);
        if (random.nextInt(4) == 0) {
            plan(newcomer, 1 + random.nextInt(3), random.nextBoolean());
        }

        boolean left = isLeft(newcomer);
        boolean fitsNow = cluster.evaluate(List.of("n"), newcomer).get(0).admits();

        assertThat(cluster.binds("n", newcomer))
                .as("a pod is awaited where others end for it, and not bound before")
                .isEqualTo(left && fitsNow);
    }
}
