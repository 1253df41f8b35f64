package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.gang.Gangs;
import io.numaledger.scheduling.preemption.Victims;
import io.numaledger.scheduling.queue.PendingPodQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class VerbsTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration HOLD_AFTER = Duration.ofSeconds(2);
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    private final TestCluster cluster = new TestCluster();
    private final AtomicLong nanos = new AtomicLong();
    private final PendingPodQueue queue =
            new PendingPodQueue(cluster.state, cluster.evaluator, HOLD_AFTER, nanos::get, (pod, node) -> {});
    private final List<String> heard = new ArrayList<>();
    private final RecordingListener listener = new RecordingListener();
    private final InMemoryBinder binder = new InMemoryBinder();

    private static byte[] args(String name, String limits, String nodes) {
        return """
                {"Pod":{"metadata":{"name":"%1$s","namespace":"default","uid":"uid-%1$s"},"spec":{"containers":[{"name":"c",
                "resources":{"limits":%2$s,"requests":%2$s}}]},"status":{"qosClass":"Guaranteed"}},"Nodes":null,"NodeNames":%3$s}
                """.formatted(name, limits, nodes).getBytes(StandardCharsets.UTF_8);
    }

    private JsonNode filter(byte[] body) throws IOException {
        return JSON.readTree(filterVerb(ZoneRefusals.unresolvable).answer(body));
    }

    private FilterVerb filterVerb(ZoneRefusals refusals) {
        return filterVerb(refusals, CandidateLimit.NONE);
    }

    private FilterVerb filterVerb(ZoneRefusals refusals, CandidateLimit limit) {
        return new FilterVerb(
                cluster.state, cluster.evaluator, queue, Gangs.none(cluster.state), listener, refusals, limit);
    }

    private JsonNode filter(byte[] body, int maxCandidates) throws IOException {
        return JSON.readTree(filterVerb(ZoneRefusals.unresolvable, new CandidateLimit(maxCandidates))
                .answer(body));
    }

    @Test
    void keepsNodesThatFitAndExplainsTheOthers() throws IOException {
        cluster.apply(
                ClusterYaml.node("free"),
                ClusterYaml.node("full"),
                ClusterYaml.running("a", "full", CPUS_4, "1-4"),
                ClusterYaml.running("b", "full", CPUS_4, "5-8"));
        JsonNode answer = filter(args("x", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "[\"full\",\"free\",\"unknown\"]"));
        assertThat(answer.path("NodeNames")).hasToString("[\"free\",\"unknown\"]");
        assertThat(answer.path("Nodes").isNull()).isTrue();
        assertThat(answer.path("FailedAndUnresolvableNodes").path("full").asText())
                .isEqualTo("NUMA: no zone can take 4 cpu");
        assertThat(answer.path("FailedNodes")).isEmpty();
        assertThat(answer.path("Error").asText()).isEmpty();
    }

    /** The answer names no free amounts, because they change. */
    @Test
    void givesTheFreeAmountsOfTheFirstNodeAsAnExample() throws IOException {
        cluster.apply(
                ClusterYaml.node("one-free"),
                ClusterYaml.running("a", "one-free", "cpu: \"3\", memory: 1Gi", "1-3"),
                ClusterYaml.running("b", "one-free", CPUS_4, "5-8"),
                ClusterYaml.node("none-free"),
                ClusterYaml.running("c", "none-free", CPUS_4, "1-4"),
                ClusterYaml.running("d", "none-free", CPUS_4, "5-8"));
        filter(args("x", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "[\"unknown\",\"one-free\",\"none-free\"]"));
        FilterResult result = listener.last.orElseThrow();

        assertThat(PodNames.ALL.text(result.example("no zone can take 4 cpu").message()))
                .isEqualTo("needs 4 cpu on 1 zone; node-0 has 1 free");
        cluster.deletePod("b");
        assertThat(PodNames.ALL.text(result.example("no zone can take 4 cpu").message()))
                .as("the node fits the pod by now")
                .isEqualTo("no zone can take 4 cpu");
        assertThatThrownBy(() -> result.example("another reason"))
                .hasMessage("no node has refused the pod for this: summary=another reason");
    }

    /** kube-scheduler's watch is ahead. Without an event its pod would wait unnoticed, and nothing would ask for a retry. */
    @Test
    void aRefusedPodIsToldOfOnceTheWatchShowsIt() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        filter(args("x", "{\"cpu\":\"6\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        queue.checkPending();
        assertThat(heard).doesNotContain("refused default/x");
        assertThat(queue.size()).isZero();

        cluster.state.podChanged(ClusterYaml.pending("x", "cpu: \"6\", memory: 1Gi"));
        queue.checkPending();
        queue.checkPending();

        assertThat(heard).containsOnlyOnce("refused default/x");
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void aPodThatTheWatchNeverShowsIsForgotten() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        filter(args("x", "{\"cpu\":\"6\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        queue.checkPending();

        cluster.state.podChanged(ClusterYaml.pending("x", "cpu: \"6\", memory: 1Gi"));
        queue.checkPending();

        assertThat(heard).doesNotContain("refused default/x");
    }

    @Test
    void aNodeThatIsTooSmallIsUnresolvable() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        JsonNode answer = filter(args("x", "{\"cpu\":\"6\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        assertThat(answer.path("FailedNodes")).isEmpty();
        assertThat(answer.path("FailedAndUnresolvableNodes").path("n").asText())
                .isEqualTo("NUMA: the Topology Manager policy does not allow 6 cpu on 2 zones");
        assertThat(heard).containsExactly("filtered default/x admitting=0 refused=[1] ");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            occupied by pods, for a scheduler that cannot preempt for zones | unresolvable | 4 | FailedAndUnresolvableNodes
            occupied by pods, for one that can                              | preemptable  | 4 | FailedNodes
            too small without pods, for the first                           | unresolvable | 6 | FailedAndUnresolvableNodes
            too small without pods, for the second                          | preemptable  | 6 | FailedAndUnresolvableNodes
            """)
    void answersARefusedNodeWhereTheSchedulerExpectsIt(
            String situation, ZoneRefusals refusals, String cpus, String list) throws IOException {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", CPUS_4, "1-4"),
                ClusterYaml.running("b", "n", CPUS_4, "5-8"));
        byte[] body = args("x", "{\"cpu\":\"%s\",\"memory\":\"1Gi\"}".formatted(cpus), "[\"n\"]");

        JsonNode answer = JSON.readTree(filterVerb(refusals).answer(body));

        assertThat(answer.path(list).path("n").asText()).startsWith("NUMA: ").contains(cpus + " cpu");
        assertThat(answer.path("FailedNodes").size()
                        + answer.path("FailedAndUnresolvableNodes").size())
                .isEqualTo(1);
    }

    /** kube-scheduler retries a pod whenever the text of its refusal changes. */
    @Test
    void answersTheSameTextWhenFreeAmountsAndHoldersChange() throws IOException {
        String cpus3 = "cpu: \"3\", memory: 1Gi";
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", cpus3, "1-3"),
                ClusterYaml.running("b", "n", cpus3, "5-7"));
        byte[] body = args("x", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "[\"n\"]");
        JsonNode before = filter(body);

        cluster.apply(ClusterYaml.running("c", "n", "cpu: \"1\", memory: 1Gi", "8"));

        assertThat(filter(body)).isEqualTo(before);
    }

    @Test
    void answersTheSameTextForANodeThatIsTooSmallWhateverRunsThere() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        byte[] body = args("x", "{\"cpu\":\"6\",\"memory\":\"1Gi\"}", "[\"n\"]");
        JsonNode before = filter(body);

        cluster.apply(ClusterYaml.running("a", "n", CPUS_4, "1-4"));

        assertThat(filter(body)).isEqualTo(before);
    }

    @Test
    void reservesANodeForAnOlderPendingPod() throws IOException {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.node("other"),
                ClusterYaml.running("a", "n", CPUS_4, "1-4"),
                ClusterYaml.running("b", "n", CPUS_4, "5-8"));
        cluster.state.podChanged(ClusterYaml.pending("old", CPUS_4));
        cluster.state.podChanged(ClusterYaml.pending("young", "cpu: \"2\", memory: 1Gi"));
        filter(args("old", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        nanos.addAndGet(HOLD_AFTER.toNanos());
        cluster.deletePod("a");

        byte[] young = args("young", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"n\",\"other\"]");
        JsonNode answer = filter(young);

        assertThat(answer.path("NodeNames")).hasToString("[\"other\"]");
        byte[] onUnknown = args("young", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"n\",\"unknown\"]");
        assertThat(filter(onUnknown, 1).path("NodeNames"))
                .as("the next best one")
                .hasToString("[\"unknown\"]");
        assertThat(answer.path("FailedAndUnresolvableNodes").path("n").asText())
                .isEqualTo("NUMA: reserved for an older pending pod");
        assertThat(queue.size()).isEqualTo(1);
        filter(args("young", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        assertThat(queue.size()).isEqualTo(2);
    }

    /** The watch shows the older pod, and not the younger one yet: both have the toleration that the API server adds to every pod. */
    @Test
    void reservesANodeAlsoAgainstAPodThatTheWatchDoesNotShowYet() throws IOException {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("a", "n", CPUS_4, "1-4"),
                ClusterYaml.running("b", "n", CPUS_4, "5-8"));
        String toleration = "{key: node.kubernetes.io/not-ready, operator: Exists, tolerationSeconds: 300}";
        cluster.state.podChanged(ClusterYaml.read(ClusterYaml.pod(
                        "old",
                        CPUS_4,
                        ", creationTimestamp: \"2026-01-01T00:00:00Z\"",
                        "  tolerations: [%s]".formatted(toleration),
                        ""))
                .pods()
                .get(0));
        filter(args("old", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        nanos.addAndGet(HOLD_AFTER.toNanos());
        cluster.deletePod("a");
        ObjectNode young = (ObjectNode) JSON.readTree(args("young", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        ObjectNode pod = (ObjectNode) young.path("Pod");
        ((ObjectNode) pod.path("metadata")).put("creationTimestamp", "2026-01-01T00:00:05Z");
        ((ObjectNode) pod.path("spec"))
                .putArray("tolerations")
                .addObject()
                .put("key", "node.kubernetes.io/not-ready")
                .put("operator", "Exists")
                .put("tolerationSeconds", 300);

        JsonNode answer = filter(JSON.writeValueAsBytes(young));

        assertThat(answer.path("FailedAndUnresolvableNodes").path("n").asText())
                .isEqualTo("NUMA: reserved for an older pending pod");
    }

    @Test
    void believesTheWatchAndNotTheCallerWhatAPodIs() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        cluster.state.podChanged(ClusterYaml.pending("x", "cpu: \"6\", memory: 1Gi"));

        JsonNode answer = filter(args("x", "{\"cpu\":\"1\",\"memory\":\"1Gi\"}", "[\"n\"]"));

        assertThat(answer.path("FailedAndUnresolvableNodes").path("n").asText())
                .isEqualTo("NUMA: the Topology Manager policy does not allow 6 cpu on 2 zones");
    }

    @Test
    void returnsTheNodeObjectsThatTheSchedulerSent() throws IOException {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.node("m"));
        String body = new String(args("x", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "null"), StandardCharsets.UTF_8)
                .replace(
                        "\"Nodes\":null",
                        "\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}}}]}");
        JsonNode answer = filter(body.getBytes(StandardCharsets.UTF_8));
        assertThat(answer.path("Nodes").path("items"))
                .hasToString("[{\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":\"b\"}}}]");
        assertThat(answer.path("NodeNames").isNull()).isTrue();
    }

    @Test
    void refusesAPodWithAnInvalidMaximumSpreadEverywhere() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        ObjectNode body = (ObjectNode) JSON.readTree(args("x", "{\"cpu\":\"1\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        ((ObjectNode) body.path("Pod").path("metadata"))
                .putObject("annotations")
                .put("kai.scheduler/max-numa-spread", "0");
        JsonNode answer = filter(JSON.writeValueAsBytes(body));
        assertThat(answer.path("NodeNames")).isEmpty();
        assertThat(answer.path("FailedAndUnresolvableNodes").path("n").asText())
                .isEqualTo(
                        "invalid annotation: kai.scheduler/max-numa-spread='0'; use a whole number of 1 or more, or remove it");
    }

    @Test
    void explainsAMalformedRequest() {
        assertThatThrownBy(() -> filter("{\"Pod\":".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed request: ")
                .hasMessageEndingWith("; send ExtenderArgs as JSON");
        assertThatThrownBy(() -> filter("{}".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("malformed request: Pod is missing; send ExtenderArgs as JSON");
    }

    @Test
    void answersTheBestNodesOnly() throws IOException {
        cluster.apply(
                ClusterYaml.node("full"),
                ClusterYaml.running("a", "full", CPUS_4, "1-4"),
                ClusterYaml.running("b", "full", CPUS_4, "5-8"),
                ClusterYaml.node("empty"),
                ClusterYaml.node("used"),
                ClusterYaml.running("c", "used", "cpu: \"2\", memory: 1Gi", "1-2"),
                ClusterYaml.node("other"));
        byte[] body =
                args("x", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"full\",\"unknown\",\"empty\",\"used\",\"other\"]");

        JsonNode best = filter(body, 1);
        JsonNode all = filter(body, 4);

        assertThat(best.path("NodeNames")).as("its largest zone stays whole").hasToString("[\"used\"]");
        assertThat(best.path("FailedAndUnresolvableNodes")).isEmpty();
        assertThat(all.path("NodeNames")).hasToString("[\"unknown\",\"empty\",\"used\",\"other\"]");
        assertThat(heard).containsOnly("filtered default/x admitting=4 refused=[1] ");
    }

    @Test
    void answersAllNodesForAPodThatNeedsNoAlignment() throws IOException {
        cluster.apply(ClusterYaml.node("n1"), ClusterYaml.node("n2"));
        String burstable = new String(args("x", "{}", "[\"n1\",\"n2\"]"), StandardCharsets.UTF_8)
                .replace("Guaranteed", "BestEffort");

        assertThat(filter(burstable.getBytes(StandardCharsets.UTF_8), 1).path("NodeNames"))
                .hasSize(2);
    }

    @Test
    void namesAllRefusedNodesIfNoneFits() throws IOException {
        cluster.apply(ClusterYaml.node("n1"), ClusterYaml.node("n2"));

        JsonNode answer = filter(args("x", "{\"cpu\":\"6\",\"memory\":\"1Gi\"}", "[\"n1\",\"n2\"]"), 1);

        assertThat(answer.path("NodeNames")).isEmpty();
        assertThat(answer.path("FailedAndUnresolvableNodes")).hasSize(2);
    }

    @Test
    void readsARecordedRequestOfKubeScheduler() throws IOException {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded requests are read only where NUMALEDGER_DATA names their directory");
        byte[] body = Files.readAllBytes(Path.of(data, "extender", "filter.request.json"));
        cluster.apply(ClusterYaml.node("n1"), ClusterYaml.node("n2"), ClusterYaml.running("a", "n2", CPUS_4, "1-4"));
        assertThat(filter(body).path("NodeNames")).hasToString("[\"n2\",\"n1\"]");
        cluster.apply(ClusterYaml.running("b", "n2", CPUS_4, "5-8"));
        assertThat(filter(body).path("NodeNames")).hasToString("[\"n1\"]");
    }

    @Test
    void prefersTheNodeThatLeavesAZoneEmpty() throws IOException {
        cluster.apply(
                ClusterYaml.node("empty", "restricted"),
                ClusterYaml.node("begun", "restricted"),
                ClusterYaml.running("a", "begun", "cpu: \"2\", memory: 1Gi", "1-2"));
        JsonNode scores = JSON.readTree(new PrioritizeVerb(cluster.state, cluster.evaluator)
                .answer(args("x", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"empty\",\"begun\",\"unknown\"]")));
        assertThat(scores)
                .hasToString(
                        "[{\"Host\":\"empty\",\"Score\":0},{\"Host\":\"begun\",\"Score\":10},{\"Host\":\"unknown\",\"Score\":0}]");
    }

    private JsonNode bind(String pod, String node) throws IOException {
        byte[] body = "{\"PodName\":\"%1$s\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-%1$s\",\"Node\":\"%2$s\"}"
                .formatted(pod, node)
                .getBytes(StandardCharsets.UTF_8);
        return JSON.readTree(new BindVerb(
                        cluster.state,
                        Gangs.none(cluster.state),
                        binder,
                        listener,
                        nanos::get,
                        Set.of("default-scheduler"))
                .answer(body));
    }

    @Test
    void refusesABindIfAnotherPodWasFaster() throws IOException {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        cluster.state.podChanged(ClusterYaml.pending("first", CPUS_4));
        cluster.state.podChanged(ClusterYaml.pending("late", CPUS_4));

        assertThat(bind("first", "n").path("Error").asText()).isEmpty();
        assertThat(bind("late", "n").path("Error").asText())
                .isEqualTo("NUMA: node n does not fit the pod any more: no zone can take 4 cpu");

        assertThat(binder.written)
                .containsExactly("bind default/first n [{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"4\"}}]");
    }

    private static String burstable(String name, String spec) {
        return ClusterYaml.pod(name, "cpu: \"5\"", "", spec, "")
                .replace("limits:", "requests:")
                .replace("Guaranteed", "Burstable");
    }

    /** Each of two schedulers chose the node for its pod before the other one's was bound. */
    @Test
    void refusesABindIfAnotherPodTookTheRoomOfTheNodeAsAWhole() throws IOException {
        cluster.apply(ClusterYaml.node("n").replace("allocatable: {nvidia", "allocatable: {cpu: \"7\", nvidia"));
        cluster.apply(burstable("first", ""), burstable("second", ""));
        List<String> errors = new ArrayList<>();
        binder.meanwhile = () -> {
            binder.meanwhile = () -> {};
            errors.add(bindAnswer("second"));
        };
        errors.add(bindAnswer("first"));

        assertThat(errors)
                .containsExactly(
                        "node n does not fit the pod any more: needs 5 cpu; other pods request all but 2 of 7", "");
        assertThat(binder.written).hasSize(1);
    }

    private String bindAnswer(String pod) {
        try {
            return bind(pod, "n").path("Error").asText();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void bindsOnlyPendingPodsAndOnlyToNodesOfTheCluster() throws IOException {
        cluster.apply(
                ClusterYaml.node("n"),
                ClusterYaml.running("bound", "n", CPUS_4, "1-4"),
                ClusterYaml.pod("ended", CPUS_4, "", "", ", phase: Failed"));
        cluster.state.podChanged(ClusterYaml.pending("pending", CPUS_4));

        assertThat(bind("pending", "no-such-node/../x").path("Error").asText())
                .isEqualTo("the cluster has no such node: node=no-such-node/../x");
        assertThat(bind("bound", "n").path("Error").asText()).as("repeated").isEmpty();
        assertThat(bind("bound", "other").path("Error").asText())
                .isEqualTo("the pod is bound already: pod=default/bound node=n");
        cluster.apply(ClusterYaml.pod("others", CPUS_4, "", "  schedulerName: another", ""));
        assertThat(bind("others", "n").path("Error").asText())
                .isEqualTo(
                        "this bridge does not bind pods of this scheduler: pod=default/others scheduler=another; see --scheduler-names");
        assertThat(bind("ended", "n").path("Error").asText()).startsWith("the pod is terminating or has ended");
        assertThat(binder.written).isEmpty();
    }

    @Test
    void bindsToACordonedNodeOnlyPodsThatTolerateIt() throws IOException {
        cluster.apply(ClusterYaml.node("n").replaceFirst("status:", "spec: {unschedulable: true}\nstatus:"));
        cluster.state.podChanged(ClusterYaml.pending("late", CPUS_4));
        cluster.state.podChanged(ClusterYaml.parsePod(ClusterYaml.pod(
                "tolerant",
                CPUS_4,
                "",
                "  tolerations: [{key: node.kubernetes.io/unschedulable, operator: Exists}]",
                "")));

        assertThat(bind("late", "n").path("Error").asText()).isEqualTo("the node has been cordoned: node=n");
        assertThat(bind("tolerant", "n").path("Error").asText()).isEmpty();
    }

    @Test
    void cancelsTheReservationWhenTheApiServerRefusesTheBinding() throws IOException {
        cluster.apply(ClusterYaml.node("n"), ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        cluster.state.podChanged(ClusterYaml.pending("first", CPUS_4));
        cluster.state.podChanged(ClusterYaml.pending("second", CPUS_4));
        binder.refuse = true;
        assertThat(bind("first", "n").path("Error").asText()).isEqualTo("no");
        binder.refuse = false;
        assertThat(bind("second", "n").path("Error").asText()).isEmpty();
        assertThat(heard).contains("bindFailed default/first n no", "bound default/second n");
    }

    @Test
    void writesBindingsInTheOrderOfReservations() throws Exception {
        cluster.apply(ClusterYaml.node("n"));
        cluster.state.podChanged(ClusterYaml.pending("first", CPUS_4));
        cluster.state.podChanged(ClusterYaml.pending("second", CPUS_4));
        Optional<Future<JsonNode>> second = bindAnotherMeanwhile("first", "second");

        assertThat(second.orElseThrow().get(3, TimeUnit.MINUTES).path("Error").asText())
                .isEmpty();
        assertThat(binder.written)
                .containsExactly(
                        "bind default/first n [{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"4\"}}]",
                        "bind default/second n [{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"4\"}}]");
    }

    @Test
    void evaluatesAgainAfterAnEarlierBindFailed() throws Exception {
        cluster.apply(ClusterYaml.node("n"));
        cluster.state.podChanged(ClusterYaml.pending("first", CPUS_4));
        cluster.state.podChanged(ClusterYaml.pending("second", CPUS_4));
        binder.refuse = true;
        Optional<Future<JsonNode>> second = bindAnotherMeanwhile("first", "second");

        assertThat(second.orElseThrow().get(3, TimeUnit.MINUTES).path("Error").asText())
                .isEmpty();
        assertThat(binder.written)
                .containsExactly("bind default/second n [{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"4\"}}]");
        assertThat(cluster.state.reservations()).isEqualTo(1);
    }

    /** Binds one pod and, while the API server is busy with it, another one. */
    private Optional<Future<JsonNode>> bindAnotherMeanwhile(String pod, String other) throws IOException {
        AtomicReference<Optional<Future<JsonNode>>> answer = new AtomicReference<>(Optional.empty());
        binder.meanwhile = () -> {
            binder.meanwhile = () -> binder.refuse = false;
            FutureTask<JsonNode> task = new FutureTask<>(() -> bind(other, "n"));
            new Thread(task, "other-bind").start();
            answer.set(Optional.of(task));
            await().atMost(Duration.ofMinutes(3)).until(() -> cluster.state.reservations() == 2);
        };
        String expected = binder.refuse ? "no" : "";
        assertThat(bind(pod, "n").path("Error").asText()).isEqualTo(expected);
        return answer.get();
    }

    @Test
    void readsAPodThatTheWatchDoesNotShowYet() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        binder.pods.put("uid-fresh", ClusterYaml.pending("fresh", CPUS_4));
        assertThat(bind("fresh", "n").path("Error").asText()).isEmpty();
        assertThat(bind("gone", "n").path("Error").asText())
                .isEqualTo("the pod no longer exists: pod=default/gone uid=uid-gone");
    }

    @Test
    void succeedsIfThePodIsBoundAlthoughTheApiServerGaveNoAnswer() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        cluster.state.podChanged(ClusterYaml.pending("x", CPUS_4));
        binder.silent = true;
        binder.pods.put("uid-x", ClusterYaml.pending("x", CPUS_4).onNode("n"));

        assertThat(bind("x", "n").path("Error").asText()).isEmpty();
        assertThat(heard).contains("bound default/x n");
    }

    @Test
    void keepsAReservationUntilItIsKnownThatThePodIsNotBound() throws IOException {
        cluster.apply(ClusterYaml.node("n"));
        cluster.state.podChanged(ClusterYaml.pending("x", CPUS_4));
        binder.silent = true;
        binder.pods.put("uid-x", ClusterYaml.pending("x", CPUS_4));
        BindVerb verb = new BindVerb(
                cluster.state, Gangs.none(cluster.state), binder, listener, nanos::get, Set.of("default-scheduler"));
        String body = "{\"PodName\":\"x\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-x\",\"Node\":\"n\"}";

        assertThat(new String(verb.answer(body.getBytes(StandardCharsets.UTF_8)), StandardCharsets.UTF_8))
                .isEqualTo("{\"Error\":\"no answer\"}");
        verb.lookUp();
        assertThat(cluster.state.reservations()).isEqualTo(1);
        nanos.addAndGet(DoubtfulBinds.SETTLED_AFTER.toNanos());
        verb.lookUp();
        assertThat(cluster.state.reservations()).isZero();
    }

    /** Keeps what was written, in order. */
    private static final class InMemoryBinder implements Binder {
        private final List<String> written = new ArrayList<>();
        private final Map<String, PodFacts> pods = new java.util.TreeMap<>();
        private boolean refuse;
        private boolean silent;
        private Runnable meanwhile = () -> {};

        @Override
        public void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) throws IOException {
            meanwhile.run();
            if (refuse) {
                throw new RefusedException("no", new IOException("409"));
            }
            if (silent) {
                throw new IOException("no answer");
            }
            written.add("bind %s %s %s"
                    .formatted(
                            pod.key(),
                            node,
                            predicted
                                    .map(any -> ObservedPlacementText.write(any.placement()))
                                    .orElse("-")));
        }

        @Override
        public Optional<PodFacts> read(String namespace, String name, String uid) {
            return Optional.ofNullable(pods.get(uid));
        }

        @Override
        public Optional<ResourceClaim> readClaim(String namespace, String name) {
            return Optional.empty();
        }
    }

    private final class RecordingListener implements DecisionListener {

        private Optional<FilterResult> last = Optional.empty();

        @Override
        public void preempting(PodFacts pod, int proposed, SortedMap<String, Victims> victims) {}

        @Override
        public void refused(PodFacts pod, FilterResult result) {
            heard.add("refused " + pod.key());
        }

        @Override
        public void filtered(PodFacts pod, FilterResult result) {
            last = Optional.of(result);
            heard.add("filtered %s admitting=%d refused=%s %s"
                    .formatted(
                            pod.key(),
                            result.admitting(),
                            result.refusals().values(),
                            result.invalid().orElse("")));
        }

        @Override
        public void bound(PodFacts pod, String node, Evaluation evaluation) {
            heard.add("bound %s %s".formatted(pod.key(), node));
        }

        @Override
        public void bindRefused(PodFacts pod, String node, Refused refused) {
            heard.add("bindRefused %s %s".formatted(pod.key(), node));
        }

        @Override
        public void bindFailed(PodFacts pod, String node, String why) {
            heard.add("bindFailed %s %s %s".formatted(pod.key(), node, why));
        }
    }
}
