package io.numaledger.bridge.extender;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.Cluster;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.score.Goal;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.turn.WaitingPods;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.placement.Placement;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    private final Ledger ledger = new Ledger(
            PictureSettings.DEFAULT,
            new Ranking(List.of(Goal.ZONES, Goal.WHOLE_ZONES, Goal.STRATEGY), Strategy.MostAllocated),
            (pod, reservation) -> {});
    private final AtomicLong nanos = new AtomicLong();
    private final WaitingPods waiting = new WaitingPods(ledger, PATIENCE, nanos::get, pod -> {});
    private final List<String> heard = new ArrayList<>();
    private final Notes notes = new Notes();
    private final InMemoryBinder binder = new InMemoryBinder();

    private void see(String... documents) {
        ClusterObjects objects = Cluster.read(documents);
        objects.nodes().values().forEach(ledger::nodeSeen);
        objects.topologies().values().forEach(ledger::topologySeen);
        objects.pods().forEach(ledger::podSeen);
    }

    private static byte[] args(String name, String limits, String nodes) {
        return """
                {"Pod":{"metadata":{"name":"%1$s","namespace":"default","uid":"uid-%1$s"},"spec":{"containers":[{"name":"c",
                "resources":{"limits":%2$s,"requests":%2$s}}]},"status":{"qosClass":"Guaranteed"}},"Nodes":null,"NodeNames":%3$s}
                """.formatted(name, limits, nodes).getBytes(StandardCharsets.UTF_8);
    }

    private JsonNode filter(byte[] body) throws IOException {
        return JSON.readTree(new FilterVerb(ledger, waiting, notes).answer(body));
    }

    @Test
    void keepsNodesThatFitAndSaysWhyTheOthersDoNot() throws IOException {
        see(
                Cluster.node("free"),
                Cluster.node("full"),
                Cluster.running("a", "full", CPUS_4, "1-4"),
                Cluster.running("b", "full", CPUS_4, "5-8"));
        JsonNode answer = filter(args("x", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "[\"full\",\"free\",\"unknown\"]"));
        assertThat(answer.path("NodeNames")).hasToString("[\"free\",\"unknown\"]");
        assertThat(answer.path("Nodes").isNull()).isTrue();
        assertThat(answer.path("FailedNodes").path("full").asText())
                .isEqualTo("NUMA: needs 4 cpu on 1 zone; node-0 has 0 free");
        assertThat(answer.path("FailedAndUnresolvableNodes")).isEmpty();
        assertThat(answer.path("Error").asText()).isEmpty();
    }

    @Test
    void callsUnresolvableWhatDoesNotFitTheEmptyNode() throws IOException {
        see(Cluster.node("n"));
        JsonNode answer = filter(args("x", "{\"cpu\":\"6\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        assertThat(answer.path("FailedNodes")).isEmpty();
        assertThat(answer.path("FailedAndUnresolvableNodes").path("n").asText()).startsWith("NUMA: needs 6 cpu");
        assertThat(heard).containsExactly("filtered default/x kept=0 refused=[1] ");
    }

    @Test
    void leavesANodeToWhoeverHasWaitedLonger() throws IOException {
        see(
                Cluster.node("n"),
                Cluster.node("other"),
                Cluster.running("a", "n", CPUS_4, "1-4"),
                Cluster.running("b", "n", CPUS_4, "5-8"));
        ledger.podSeen(Cluster.waiting("old", CPUS_4));
        ledger.podSeen(Cluster.waiting("young", "cpu: \"2\", memory: 1Gi"));
        filter(args("old", "{\"cpu\":\"4\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        nanos.addAndGet(PATIENCE.toNanos());
        ledger.podGone(ledger.pod("default/a").orElseThrow());

        JsonNode answer = filter(args("young", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"n\",\"other\"]"));

        assertThat(answer.path("NodeNames")).hasToString("[\"other\"]");
        assertThat(answer.path("FailedNodes").path("n").asText())
                .isEqualTo("NUMA: held for pods that have waited longer");
        assertThat(waiting.count()).isEqualTo(1);
        filter(args("young", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        assertThat(waiting.count()).isEqualTo(2);
    }

    @Test
    void takesFullNodeObjectsAndGivesThemBack() throws IOException {
        see(Cluster.node("n"), Cluster.node("m"));
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
    void refusesAPodWithAnInvalidCeilingEverywhere() throws IOException {
        see(Cluster.node("n"));
        ObjectNode body = (ObjectNode) JSON.readTree(args("x", "{\"cpu\":\"1\",\"memory\":\"1Gi\"}", "[\"n\"]"));
        ((ObjectNode) body.path("Pod").path("metadata"))
                .putObject("annotations")
                .put("kai.scheduler/max-numa-spread", "0");
        JsonNode answer = filter(JSON.writeValueAsBytes(body));
        assertThat(answer.path("NodeNames")).isEmpty();
        assertThat(answer.path("FailedAndUnresolvableNodes").path("n").asText())
                .isEqualTo(
                        "the span's ceiling is a positive whole number: kai.scheduler/max-numa-spread='0'; write 1 or more, or leave it out");
    }

    @Test
    void saysWhatIsWrongWithAMalformedRequest() {
        assertThatThrownBy(() -> filter("{\"Pod\":".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed request: ")
                .hasMessageEndingWith("; send ExtenderArgs as JSON");
        assertThatThrownBy(() -> filter("{}".getBytes(StandardCharsets.UTF_8)))
                .hasMessage("malformed request: it has no Pod; send ExtenderArgs as JSON");
    }

    @Test
    void understandsWhatARealSchedulerSent() throws IOException {
        String data = System.getenv("NUMALEDGER_DATA");
        assumeTrue(data != null, "recorded requests are read only where NUMALEDGER_DATA names their directory");
        byte[] body = Files.readAllBytes(Path.of(data, "extender", "filter.request.json"));
        see(Cluster.node("n1"), Cluster.node("n2"), Cluster.running("a", "n2", CPUS_4, "1-4"));
        assertThat(filter(body).path("NodeNames")).hasToString("[\"n2\",\"n1\"]");
        see(Cluster.running("b", "n2", CPUS_4, "5-8"));
        assertThat(filter(body).path("NodeNames")).hasToString("[\"n1\"]");
    }

    @Test
    void ranksTheNodeThatKeepsAZoneWholeFirst() throws IOException {
        see(
                Cluster.node("empty", "restricted"),
                Cluster.node("begun", "restricted"),
                Cluster.running("a", "begun", "cpu: \"2\", memory: 1Gi", "1-2"));
        JsonNode scores = JSON.readTree(new PrioritizeVerb(ledger)
                .answer(args("x", "{\"cpu\":\"2\",\"memory\":\"1Gi\"}", "[\"empty\",\"begun\",\"unknown\"]")));
        assertThat(scores)
                .hasToString(
                        "[{\"Host\":\"empty\",\"Score\":0},{\"Host\":\"begun\",\"Score\":10},{\"Host\":\"unknown\",\"Score\":0}]");
    }

    private JsonNode bind(String pod, String node) throws IOException {
        byte[] body = "{\"PodName\":\"%1$s\",\"PodNamespace\":\"default\",\"PodUID\":\"uid-%1$s\",\"Node\":\"%2$s\"}"
                .formatted(pod, node)
                .getBytes(StandardCharsets.UTF_8);
        return JSON.readTree(new BindVerb(ledger, binder, notes).answer(body));
    }

    @Test
    void bindsOnceAndRefusesWhoeverComesTooLate() throws IOException {
        see(Cluster.node("n"), Cluster.running("a", "n", CPUS_4, "1-4"));
        ledger.podSeen(Cluster.waiting("first", CPUS_4));
        ledger.podSeen(Cluster.waiting("late", CPUS_4));

        assertThat(bind("first", "n").path("Error").asText()).isEmpty();
        assertThat(bind("late", "n").path("Error").asText())
                .isEqualTo(
                        "NUMA: node n took another pod meanwhile: needs 4 cpu on 1 zone; node-0 has 0 free, held by default/a");

        assertThat(binder.written)
                .containsExactly("bind default/first n [{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"4\"}}]");
    }

    @Test
    void givesTheZonesBackWhenTheApiServerDoesNotBind() throws IOException {
        see(Cluster.node("n"), Cluster.running("a", "n", CPUS_4, "1-4"));
        ledger.podSeen(Cluster.waiting("first", CPUS_4));
        ledger.podSeen(Cluster.waiting("second", CPUS_4));
        binder.refuse = true;
        assertThat(bind("first", "n").path("Error").asText()).isEqualTo("no");
        binder.refuse = false;
        assertThat(bind("second", "n").path("Error").asText()).isEmpty();
        assertThat(heard).contains("bindFailed default/first n no", "bound default/second n");
    }

    @Test
    void reservesAtOnceAndWritesInTheOrderOfTheReservations() throws Exception {
        see(Cluster.node("n"));
        ledger.podSeen(Cluster.waiting("first", CPUS_4));
        ledger.podSeen(Cluster.waiting("second", CPUS_4));
        Optional<Future<JsonNode>> second = bindAnotherMeanwhile("first", "second");

        assertThat(second.orElseThrow().get(30, TimeUnit.SECONDS).path("Error").asText())
                .isEmpty();
        assertThat(binder.written)
                .containsExactly(
                        "bind default/first n [{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"4\"}}]",
                        "bind default/second n [{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"4\"}}]");
    }

    @Test
    void judgesAgainWhatWaitedForABindThatFailed() throws Exception {
        see(Cluster.node("n"));
        ledger.podSeen(Cluster.waiting("first", CPUS_4));
        ledger.podSeen(Cluster.waiting("second", CPUS_4));
        binder.refuse = true;
        Optional<Future<JsonNode>> second = bindAnotherMeanwhile("first", "second");

        assertThat(second.orElseThrow().get(30, TimeUnit.SECONDS).path("Error").asText())
                .isEmpty();
        assertThat(binder.written)
                .containsExactly("bind default/second n [{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"4\"}}]");
        assertThat(ledger.reservations()).isEqualTo(1);
    }

    /** Binds one pod, and while the API server is busy with that, another one, which is reserved by then and not refused. */
    private Optional<Future<JsonNode>> bindAnotherMeanwhile(String pod, String other) throws IOException {
        AtomicReference<Optional<Future<JsonNode>>> answer = new AtomicReference<>(Optional.empty());
        binder.meanwhile = () -> {
            binder.meanwhile = () -> binder.refuse = false;
            FutureTask<JsonNode> task = new FutureTask<>(() -> bind(other, "n"));
            new Thread(task, "other-bind").start();
            answer.set(Optional.of(task));
            await().until(() -> ledger.reservations() == 2);
        };
        String expected = binder.refuse ? "no" : "";
        assertThat(bind(pod, "n").path("Error").asText()).isEqualTo(expected);
        return answer.get();
    }

    @Test
    void readsAPodThatTheWatchHasNotShownYet() throws IOException {
        see(Cluster.node("n"));
        binder.pods.put("uid-fresh", Cluster.waiting("fresh", CPUS_4));
        assertThat(bind("fresh", "n").path("Error").asText()).isEmpty();
        assertThat(bind("gone", "n").path("Error").asText()).isEqualTo("gone");
    }

    /** Keeps what was written, in order. */
    private static final class InMemoryBinder implements Binder {
        private final List<String> written = new ArrayList<>();
        private final Map<String, PodFacts> pods = new java.util.TreeMap<>();
        private boolean refuse;
        private Runnable meanwhile = () -> {};

        @Override
        public void bind(PodFacts pod, String node, Optional<Placement> predicted) throws IOException {
            meanwhile.run();
            if (refuse) {
                throw new IOException("no");
            }
            written.add("bind %s %s %s"
                    .formatted(
                            pod.key(),
                            node,
                            predicted.map(ObservedPlacementText::write).orElse("-")));
        }

        @Override
        public PodFacts read(String namespace, String name, String uid) throws IOException {
            if (!pods.containsKey(uid)) {
                throw new IOException("gone");
            }
            return pods.get(uid);
        }
    }

    private final class Notes implements DecisionLog {
        @Override
        public void filtered(PodFacts pod, int kept, Map<Outcome, Integer> refused, String invalid) {
            heard.add("filtered %s kept=%d refused=%s %s".formatted(pod.key(), kept, refused.values(), invalid));
        }

        @Override
        public void bound(PodFacts pod, String node, Optional<Verdict> verdict) {
            heard.add("bound %s %s".formatted(pod.key(), node));
        }

        @Override
        public void bindRefused(PodFacts pod, String node, Verdict verdict) {
            heard.add("bindRefused %s %s".formatted(pod.key(), node));
        }

        @Override
        public void bindFailed(PodFacts pod, String node, String why) {
            heard.add("bindFailed %s %s %s".formatted(pod.key(), node, why));
        }
    }
}
