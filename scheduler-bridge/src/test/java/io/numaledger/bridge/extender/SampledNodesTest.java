package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.queue.PendingPodQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** kube-scheduler offers 100 nodes of a larger cluster. Two CPUs are free on each of them, and no zone has two. */
class SampledNodesTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int SAMPLE = 100;
    private static final Duration ATTEMPT = Duration.ofMillis(300);
    private static final String CPUS_2 = "cpu: \"2\", memory: 1Gi";
    private static final String FOR_FITS = ", nominatedNodeName: fits";
    private static final String CPUS_3 = "cpu: \"3\", memory: 1Gi";

    private final AtomicLong nanos = new AtomicLong();
    private final TestCluster cluster =
            new TestCluster((pod, reservation) -> {}, () -> Instant.EPOCH.plusNanos(nanos.get()));
    private final List<String> requeued = new ArrayList<>();
    private final PendingPodQueue queue = new PendingPodQueue(
            cluster.state,
            cluster.evaluator,
            Duration.ofSeconds(2),
            nanos::get,
            (pod, node) -> requeued.add(pod.name() + " " + node.orElse("-")));
    private final FilterVerb filter = new FilterVerb(
            cluster.state,
            cluster.evaluator,
            queue,
            Gangs.none(cluster.state),
            new NoListener(),
            ZoneRefusals.unresolvable,
            CandidateLimit.DEFAULT);
    private final List<String> scattered = new ArrayList<>();

    // ---- the cluster

    private void node(String name, String pool, String spec, int cpus) {
        cluster.apply(ClusterYaml.node(name)
                .replaceFirst("metadata: \\{name: " + name, "$0, labels: {pool: %s}".formatted(pool))
                .replaceFirst("status:\n", "spec: {%s}\nstatus:\n".formatted(spec))
                .replace(
                        "allocatable: {nvidia",
                        "allocatable: {cpu: \"%d\", memory: 8Gi, pods: \"10\", nvidia".formatted(cpus)));
    }

    private void scattered(String name) {
        node(name, "a", "", 8);
        cluster.apply(
                ClusterYaml.running(name + "-0", name, CPUS_3, "1-3"),
                ClusterYaml.running(name + "-1", name, CPUS_3, "5-7"));
        scattered.add(name);
    }

    /** @param fits whether one node takes a pod of 2 CPUs */
    private void cluster(Random random, boolean fits) {
        List<Runnable> nodes = new ArrayList<>();
        IntStream.range(0, SAMPLE + 1 + random.nextInt(50)).forEach(i -> nodes.add(() -> scattered("scattered-" + i)));
        IntStream.range(0, 20).forEach(i -> nodes.add(() -> node("other-pool-" + i, "b", "", 8)));
        IntStream.range(0, 20)
                .forEach(i -> nodes.add(() -> node("tainted-" + i, "a", "taints: [{key: k, effect: NoSchedule}]", 8)));
        IntStream.range(0, 20).forEach(i -> nodes.add(() -> node("small-" + i, "a", "", 1)));
        if (fits) {
            nodes.add(() -> node("fits", "a", "", 8));
        }
        Collections.shuffle(nodes, random);
        nodes.forEach(Runnable::run);
    }

    private PodFacts pod(String name, String spec) {
        cluster.apply(ClusterYaml.pod(name, CPUS_2, "", "  nodeSelector: {pool: a}\n" + spec, ""));
        return cluster.state.pods().get("default/" + name).orElseThrow();
    }

    private JsonNode filter(String name, String status, List<String> nodes) throws IOException {
        ArrayNode names = JSON.createArrayNode();
        nodes.forEach(names::add);
        String body = """
                {"Pod": {"metadata": {"name": "%1$s", "namespace": "default", "uid": "uid-%1$s"},
                         "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}]},
                         "status": {"qosClass": "Guaranteed"%2$s}}, "NodeNames": %3$s}""".formatted(name, status, names);
        return JSON.readTree(filter.answer(body.getBytes(StandardCharsets.UTF_8)));
    }

    private List<String> sample(Random random) {
        List<String> nodes = new ArrayList<>(scattered);
        Collections.shuffle(nodes, random);
        return nodes.subList(0, SAMPLE);
    }

    private void pass(Duration time) {
        for (long end = nanos.get() + time.toNanos(); nanos.get() < end; ) {
            nanos.addAndGet(Math.min(PendingPodQueue.CHECK_INTERVAL.toNanos(), end - nanos.get()));
            queue.checkPending();
        }
    }

    private static LongStream seeds() {
        return LongStream.range(0, 8);
    }

    // ---- tests

    @ParameterizedTest
    @MethodSource("seeds")
    void aPodIsNominatedForTheOnlyNodeThatFits(long seed) throws IOException {
        Random random = new Random(seed);
        cluster(random, true);
        pod("one", "");
        pod("two", "");
        // Both zones of the node: the third and fourth of four pods that would fit are there already.
        cluster.apply(
                ClusterYaml.running("fits-0", "fits", CPUS_3, "1-3"),
                ClusterYaml.running("fits-1", "fits", CPUS_2, "5-6"));

        assertThat(filter("one", "", sample(random)).path("NodeNames")).isEmpty();
        assertThat(filter("two", "", sample(random)).path("NodeNames")).isEmpty();
        queue.checkPending();
        assertThat(requeued).as("the attempt is under way").isEmpty();
        pass(ATTEMPT);

        assertThat(requeued).as("one place is for one pod").hasSize(1);
        assertThat(requeued.get(0)).isIn("one fits", "two fits");
        pass(Duration.ofSeconds(2));
        assertThat(requeued).hasSize(1);
        String nominated = requeued.get(0).split(" ")[0];
        assertThat(filter(nominated, ", \"nominatedNodeName\": \"fits\"", List.of("fits"))
                        .path("NodeNames"))
                .hasToString("[\"fits\"]");
        assertThat(filter(nominated.equals("one") ? "two" : "one", "", List.of("fits"))
                        .toString())
                .contains("NUMA: reserved for a pod that is nominated");
    }

    /** Otherwise kube-scheduler would write another text into the pod's status after each attempt, and try the pod again at once. */
    @ParameterizedTest
    @MethodSource("seeds")
    void theAnswerDoesNotDependOnTheSample(long seed) throws IOException {
        Random random = new Random(seed);
        cluster(random, random.nextBoolean());
        pod("one", "");

        JsonNode answer = filter("one", "", sample(random));

        assertThat(filter("one", "", sample(random))).isEqualTo(answer);
        assertThat(answer.path("FailedNodes").size())
                .as("kube-scheduler may find victims where sums do not suffice")
                .isEqualTo(20);
        assertThat(answer.path("FailedNodes").size()
                        + answer.path("FailedAndUnresolvableNodes").size())
                .isEqualTo(cluster.state.index().size());
    }

    /** What is known of a node is kept until it changes. */
    @Test
    void aNodeThatHasChangedIsEvaluatedAgain() throws IOException {
        Random random = new Random(0);
        cluster(random, false);
        pod("one", "");
        JsonNode before = filter("one", "", sample(random)).path("FailedAndUnresolvableNodes");

        node("other-pool-7", "a", "", 8);
        node("tainted-7", "a", "", 1);

        JsonNode after = filter("one", "", sample(random));
        assertThat(before.path("other-pool-7").asText()).contains("labels or taints");
        assertThat(after.path("FailedAndUnresolvableNodes").path("other-pool-7").asText())
                .contains("not offered");
        assertThat(after.path("FailedNodes").path("tainted-7").asText()).contains("lacks room");
    }

    @Test
    void aPodThatFitsNowhereIsNotTriedAgain() throws IOException {
        Random random = new Random(0);
        cluster(random, false);
        pod("one", "");

        filter("one", "", sample(random));
        pass(Duration.ofSeconds(20));

        assertThat(requeued).isEmpty();
        cluster.deletePod("scattered-7-0");
        pass(Duration.ofSeconds(2));
        assertThat(requeued).containsExactly("one scattered-7");
    }

    /** kube-scheduler knows more of the pod, such as its volumes. */
    @Test
    void aPodThatKubeSchedulerRefusesOnItsNominatedNodeIsNominatedForOthersLater() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        node("fits-as-well", "a", "", 8);
        pod("one", "");
        filter("one", "", sample(random));
        pass(ATTEMPT);
        assertThat(requeued).hasSize(1);
        String first = requeued.get(0).split(" ")[1];

        filter("one", ", \"nominatedNodeName\": \"%s\"".formatted(first), sample(random));
        pass(Duration.ofSeconds(19));
        assertThat(requeued).hasSize(1);
        pass(Duration.ofSeconds(2));
        assertThat(requeued).containsExactly("one " + first, "one " + (first.equals("fits") ? "fits-as-well" : "fits"));
        filter(
                "one",
                ", \"nominatedNodeName\": \"%s\"".formatted(requeued.get(1).split(" ")[1]),
                sample(random));
        pass(Duration.ofMinutes(4));
        assertThat(requeued).as("there are no others").hasSize(2);
    }

    private void shown(String pod, String nominated) {
        cluster.apply(ClusterYaml.pod(pod, CPUS_2, "", "  nodeSelector: {pool: a}", nominated));
    }

    private boolean isAdmittedByFits(String pod, String status) throws IOException {
        return !filter(pod, status, List.of("fits")).path("NodeNames").isEmpty();
    }

    /** The watch may show the nomination, and its end, after kube-scheduler's call. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPlaceThatKubeSchedulerRefusesIsForOthersAtOnce(boolean isShown) throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        pod("one", "");
        PodFacts two = pod("two", "");
        cluster.apply(
                ClusterYaml.running("fits-0", "fits", CPUS_3, "1-3"),
                ClusterYaml.running("fits-1", "fits", CPUS_2, "5-6"));
        filter("one", "", sample(random));
        pass(ATTEMPT);
        if (isShown) {
            shown("one", FOR_FITS);
        }
        assertThat(isAdmittedByFits("two", "")).isFalse();

        filter("one", ", \"nominatedNodeName\": \"fits\"", sample(random));

        assertThat(isAdmittedByFits("two", "")).isTrue();
        shown("one", FOR_FITS);
        assertThat(isAdmittedByFits("two", "")).isTrue();
        shown("one", "");
        queue.remove(two);
        pass(Duration.ofMinutes(4));
        assertThat(requeued).as("nothing has changed on the node").containsExactly("one fits");
        shown("one", FOR_FITS);
        assertThat(isAdmittedByFits("two", ""))
                .as("others have been evicted there, perhaps")
                .isFalse();
    }

    @Test
    void aPodIsNominatedAgainForANodeThatHasChangedSinceItRefusedThePod() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        cluster.apply(ClusterYaml.running("port", "fits", "cpu: \"1\", memory: 1Gi", "1"));
        pod("one", "");
        filter("one", "", sample(random));
        pass(ATTEMPT);
        filter("one", ", \"nominatedNodeName\": \"fits\"", sample(random));

        cluster.deletePod("port");

        pass(Duration.ofSeconds(19));
        assertThat(requeued).containsExactly("one fits");
        pass(Duration.ofSeconds(2));
        assertThat(requeued).containsExactly("one fits", "one fits");
    }

    @Test
    void aNominationEndsWhenTheNodeHasNoRoomAnyMore() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        pod("one", "");
        pod("two", "");
        cluster.apply(ClusterYaml.running("fits-0", "fits", CPUS_3, "1-3"));
        filter("one", "", sample(random));
        pass(ATTEMPT);
        cluster.apply(ClusterYaml.running("faster", "fits", CPUS_3, "5-7"));

        assertThat(isAdmittedByFits("one", ", \"nominatedNodeName\": \"fits\"")).isFalse();
        cluster.deletePod("faster");

        assertThat(isAdmittedByFits("two", "")).isTrue();
        filter("one", "", sample(random));
        pass(Duration.ofSeconds(2));
        assertThat(requeued).containsExactly("one fits", "one fits");
    }

    @Test
    void aNodeWhereOthersAreEvictedIsKeptAlthoughItHasRefusedThePod() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        PodFacts one = pod("one", "");
        pod("two", "");
        cluster.apply(
                ClusterYaml.running("fits-0", "fits", CPUS_3, "1-3"),
                ClusterYaml.running("fits-1", "fits", CPUS_2, "5-6"));
        filter("one", "", sample(random));
        pass(ATTEMPT);
        cluster.apply(ClusterYaml.running("faster", "fits", CPUS_2, "4,7"));
        assertThat(isAdmittedByFits("one", ", \"nominatedNodeName\": \"fits\"")).isFalse();

        cluster.state
                .nominated()
                .victimsNamed(
                        one,
                        Map.of(
                                "fits",
                                List.of(cluster.state
                                        .pods()
                                        .get("default/faster")
                                        .orElseThrow())));
        shown("one", FOR_FITS);

        pass(Duration.ofSeconds(3));
        assertThat(requeued).containsExactly("one fits");
        cluster.deletePod("faster");
        assertThat(isAdmittedByFits("two", "")).isFalse();
    }

    /** kube-scheduler ends a nomination that it receives during an attempt. */
    @Test
    void aPodWhoseNominationWasLostIsNominatedAgain() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        pod("one", "");
        filter("one", "", sample(random));
        pass(ATTEMPT);

        filter("one", "", sample(random));
        pass(Duration.ofSeconds(2));

        assertThat(requeued).containsExactly("one fits", "one fits");
    }

    /** kube-scheduler leaves it to a pod that may not preempt. */
    @Test
    void aNominationThatKubeSchedulerDoesNotEndIsEnded() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        pod("one", "");
        filter("one", "", sample(random));
        pass(ATTEMPT);
        shown("one", FOR_FITS);

        filter("one", ", \"nominatedNodeName\": \"fits\"", sample(random));
        pass(Duration.ofSeconds(3));

        assertThat(requeued).containsExactly("one fits", "one ");
    }

    @Test
    void aSmallerListOfNodesIsNoSample() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        pod("one", "");

        JsonNode answer = filter("one", "", sample(random).subList(0, SAMPLE - 1));
        pass(Duration.ofSeconds(20));

        assertThat(answer.path("FailedAndUnresolvableNodes")).hasSize(SAMPLE - 1);
        assertThat(requeued).isEmpty();
    }

    @Test
    void nobodyIsEvictedForAPodThatFitsAnotherNode() throws IOException {
        Random random = new Random(0);
        cluster(random, true);
        PodFacts pod = pod("one", "  priority: 10");
        PreemptVerb preempt =
                new PreemptVerb(cluster.state, queue::isToBeNominated, () -> DisruptionBudgets.NONE, new NoListener());
        String body = """
                {"Pod": {"metadata": {"name": "one", "namespace": "default", "uid": "uid-one"},
                         "spec": {"priority": 10, "containers": [{"name": "c", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}]}},
                 "NodeNameToMetaVictims": {"scattered-0": {"Pods": [{"UID": "uid-scattered-0-0"}]}}}""";

        assertThat(queue.isToBeNominated(pod)).isFalse();
        filter("one", "", sample(random));
        assertThat(JSON.readTree(preempt.answer(body.getBytes(StandardCharsets.UTF_8)))
                        .path("NodeNameToMetaVictims"))
                .isEmpty();
        cluster.state.nodeDeleted("fits");
        assertThat(JSON.readTree(preempt.answer(body.getBytes(StandardCharsets.UTF_8)))
                        .path("NodeNameToMetaVictims"))
                .hasSize(1);
        assertThat(Optional.of(pod).filter(queue::isToBeNominated)).isEmpty();
    }
}
