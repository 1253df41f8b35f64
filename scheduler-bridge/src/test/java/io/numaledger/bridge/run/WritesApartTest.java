package io.numaledger.bridge.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A running bridge with a pile of events that the API server does not take. The pile lasts for longer than any wait of these tests, so whatever
 * waits for it is never seen.
 */
class WritesApartTest {

    /** While nothing else runs. The slowest tasks run every ten seconds. */
    private static final Duration SOON = Duration.ofSeconds(30);

    private static final int PILE = 50;
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final List<String> EACH_SECOND = List.of(
            "expire",
            "gang-expire",
            "gang-retry",
            "lost-members",
            "bind-look-up",
            "pending-pods",
            "models",
            "heap",
            "zone-eviction");

    private static final List<String> EACH_TEN_SECONDS =
            List.of("pod-models", "zones", "cpu-conflicts", "claims", "schedulers", "audit", "kept-claims", "healing");

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private Bridge bridge;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        client.load(new ByteArrayInputStream(ClusterYaml.node("n").getBytes(StandardCharsets.UTF_8)))
                .create();
        bridge = new Bridge(BridgeOptions.plainHttp(0, "--evict-for-zones", "--heal-misaligned"), client);
        bridge.start();
        Wait.until("the bridge is ready").holds(bridge::isReady);
    }

    @AfterEach
    void stop() {
        bridge.close();
        client.close();
        server.close();
    }

    private Pod create(String name, int cpus) {
        Pod created = (Pod) client.resource("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec: {containers: [{name: c, image: x, resources: {limits: {cpu: "%d", memory: 1Gi}}}]}
                """.formatted(name, cpus)).create();
        Wait.until("the bridge knows the pod")
                .holds(() -> bridge.cluster().pods().get("default/" + name).isPresent());
        return created;
    }

    private JsonNode post(String path, ObjectNode body) throws Exception {
        return JSON.readTree(
                send(HttpRequest.newBuilder(address(path)).POST(HttpRequest.BodyPublishers.ofString(body.toString()))));
    }

    private URI address(String path) {
        return URI.create("http://127.0.0.1:%d%s".formatted(bridge.address().getPort(), path));
    }

    private String send(HttpRequest.Builder request) throws Exception {
        return http.send(request.timeout(Duration.ofMinutes(2)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private boolean passesTheFilter(Pod pod) throws Exception {
        ObjectNode args = JSON.createObjectNode();
        args.set("Pod", JSON.valueToTree(pod));
        args.putArray("NodeNames").add("n");
        return post("/filter", args).path("NodeNames").size() == 1;
    }

    private String bind(Pod pod) throws Exception {
        return post(
                        "/bind",
                        JSON.createObjectNode()
                                .put("PodName", pod.getMetadata().getName())
                                .put("PodNamespace", "default")
                                .put("PodUID", pod.getMetadata().getUid())
                                .put("Node", "n"))
                .path("Error")
                .asText();
    }

    private JsonNode preempt(Pod pod) throws Exception {
        ObjectNode args = JSON.createObjectNode();
        args.set("Pod", JSON.valueToTree(pod));
        args.putObject("NodeNameToMetaVictims").putObject("n").putArray("Pods");
        return post("/preempt", args);
    }

    /** Each pod is refused, for which an event is written. */
    private void pileUpEvents() throws Exception {
        for (int i = 0; i < PILE; i++) {
            assertThat(passesTheFilter(create("large-" + i, 5))).isFalse();
        }
    }

    private static boolean isEvent(RecordedRequest request) {
        return request.isWrite() && request.path().endsWith("/events");
    }

    private Map<String, Double> runs() throws Exception {
        return send(HttpRequest.newBuilder(address("/metrics")))
                .lines()
                .filter(line -> line.startsWith("numaledger_bridge_task_runs_total{"))
                .collect(Collectors.toMap(
                        line -> line.replaceAll(".*task=\"(.*)\".*", "$1"),
                        line -> Double.parseDouble(line.substring(line.indexOf(' '))),
                        Double::sum,
                        TreeMap::new));
    }

    private void awaitRuns(List<String> tasks, int more) throws Exception {
        Map<String, Double> before = runs();
        for (String task : tasks) {
            Wait.until("the task runs: " + task)
                    .limit(SOON)
                    .pollInterval(Duration.ofMillis(500))
                    .value(this::runs, now -> now.getOrDefault(task, 0.0) >= before.getOrDefault(task, 0.0) + more);
        }
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                arguments("refused: 503", Fault.ErrorResponse.unavailable()),
                arguments("refused: 429", new Fault.ErrorResponse(429, "TooManyRequests", Optional.empty())),
                arguments("refused for an hour", Fault.ErrorResponse.tooManyRequests(Duration.ofHours(1))),
                arguments(
                        "unavailable for an hour", new Fault.ErrorResponse(503, "x", Optional.of(Duration.ofHours(1)))),
                arguments("no answer", new Fault.Delay(Duration.ofHours(1))),
                arguments("the connection breaks", new Fault.Drop()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void tasksAndCallsDoNotWaitForEvents(String name, Fault fault) throws Exception {
        Pod small = create("small", 3);
        server.faults().always(WritesApartTest::isEvent, fault);
        pileUpEvents();

        awaitRuns(EACH_SECOND, 3);
        awaitRuns(EACH_TEN_SECONDS, 1);
        assertThat(passesTheFilter(small)).isTrue();
        assertThat(preempt(small).has("NodeNameToMetaVictims")).isTrue();
        assertThat(bind(small)).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void requestsForARetryDoNotWaitForEvents(String name, Fault fault) throws Exception {
        Pod first = create("first", 4);
        Pod second = create("second", 4);
        Pod waiting = create("waiting", 4);
        assertThat(bind(first)).isEmpty();
        assertThat(bind(second)).isEmpty();
        server.faults().always(WritesApartTest::isEvent, fault);
        pileUpEvents();
        assertThat(passesTheFilter(waiting)).isFalse();

        client.resource(first).withGracePeriod(0).delete();

        Wait.until("a retry of the waiting pod is requested")
                .limit(SOON)
                .holds(() -> server.requests()
                                .count(request ->
                                        request.isWrite() && request.path().endsWith("/pods/waiting/status"))
                        > 0);
    }

    @Test
    void tasksAndCallsGoOnWhileThePortIsClosed() throws Exception {
        Pod small = create("small", 3);
        server.faults().always(WritesApartTest::isEvent, new Fault.Drop());
        pileUpEvents();
        server.close();

        awaitRuns(EACH_SECOND, 3);
        awaitRuns(EACH_TEN_SECONDS, 1);
        assertThat(passesTheFilter(small)).isTrue();
        assertThat(preempt(small).has("NodeNameToMetaVictims")).isTrue();
        assertThat(bind(small)).startsWith("cannot bind: pod=default/small");
    }
}
