package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.bridge.aggregated.NodeEvents.Form;
import io.numaledger.bridge.aggregated.NodeResourceVersions.Comparison;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Watches over a socket. The caller {@code some} may list the pods of no namespace. */
class NodeWatchesTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ALL_FIRST =
            "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    private static final Duration TIMEOUT = Duration.ofMinutes(1);

    private final TestCluster cluster = new TestCluster();
    private final NodeResourceVersions versions = new NodeResourceVersions(cluster.state);
    private final NodeWatches watches = new NodeWatches(cluster.state, versions);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpClient http = HttpClient.newHttpClient();
    private final List<InputStream> opened = new ArrayList<>();
    private final List<Integer> statuses = new CopyOnWriteArrayList<>();
    private BridgeServer server;

    @BeforeEach
    void start() throws IOException {
        cluster.apply(ClusterYaml.node("a"), ClusterYaml.node("b"));
        Route route = request -> {
            String caller = request.query().getOrDefault("as", List.of("all")).get(0);
            PodNames names = caller.equals("some") ? PodNames.of("other") : PodNames.ALL;
            Answer answer = watches.begin(caller, WatchQuery.of(request), new Form(names, caller.equals("kubectl")));
            statuses.add(answer.status());
            return answer;
        };
        server = new BridgeServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                new Limits(1 << 20, 2, 300, 300, Duration.ofSeconds(1)),
                Map.of("/numanodes", Route.on(threads, route)));
        server.start();
    }

    @AfterEach
    void stop() throws IOException {
        for (InputStream each : opened) {
            each.close();
        }
        server.close();
        threads.shutdownNow();
    }

    private HttpResponse<InputStream> get(String query) throws IOException, InterruptedException {
        HttpResponse<InputStream> answer = http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/numanodes?%s"
                                .formatted(server.address().getPort(), query)))
                        .build(),
                HttpResponse.BodyHandlers.ofInputStream());
        opened.add(answer.body());
        return answer;
    }

    /** What a watch sends, event by event. */
    private final class Events {

        private final BufferedReader lines;

        Events(String query) throws IOException, InterruptedException {
            HttpResponse<InputStream> answer = get(query);
            assertThat(answer.statusCode()).isEqualTo(200);
            lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
        }

        JsonNode next() throws IOException {
            String line = lines.readLine();
            return line == null ? JSON.nullNode() : JSON.readTree(line);
        }

        String nextText() throws IOException {
            JsonNode event = next();
            return (event.path("type").asText() + " "
                            + event.at("/object/metadata/name").asText())
                    .strip();
        }
    }

    private static String version(JsonNode event) {
        return event.at("/object/metadata/resourceVersion").asText();
    }

    private void bind(String pod, String node) {
        cluster.apply(ClusterYaml.running(pod, node, "cpu: \"2\", memory: 1Gi", "1-2"));
    }

    @Test
    void sendsAllNodesFirstAndThenThoseThatChange() throws Exception {
        Events events = new Events(ALL_FIRST);
        assertThat(List.of(events.nextText(), events.nextText())).containsExactlyInAnyOrder("ADDED a", "ADDED b");
        JsonNode end = events.next();
        assertThat(end.path("type").asText()).isEqualTo("BOOKMARK");
        assertThat(end.at("/object/metadata/annotations/k8s.io~1initial-events-end")
                        .asText())
                .isEqualTo("true");

        bind("x", "b");
        JsonNode changed = events.next();
        assertThat(changed.path("type").asText()).isEqualTo("MODIFIED");
        assertThat(changed.at("/object/kind").asText()).isEqualTo("NumaNode");
        assertThat(changed.at("/object/status/pods/0/pod").asText()).isEqualTo("default/x");
        assertThat(Long.parseLong(version(changed))).isGreaterThan(Long.parseLong(version(end)));

        cluster.state.topologyDeleted("a");
        assertThat(events.nextText()).isEqualTo("MODIFIED a");
        cluster.state.nodeDeleted("a");
        JsonNode deleted = events.next();
        assertThat(deleted.path("type").asText()).isEqualTo("DELETED");
        assertThat(deleted.at("/object/metadata/name").asText()).isEqualTo("a");
        cluster.apply(ClusterYaml.node("a"));
        assertThat(events.nextText()).isEqualTo("ADDED a");
    }

    @Test
    void goesOnFromAVersion() throws Exception {
        long version = versions.update(Comparison.NONE);
        bind("x", "b");
        cluster.state.topologyDeleted("a");
        cluster.state.nodeDeleted("a");
        cluster.apply(ClusterYaml.node("c"));

        Events events = new Events("watch=true&resourceVersion=" + version);

        List<String> sent = List.of(events.nextText(), events.nextText(), events.nextText());
        assertThat(sent).containsExactlyInAnyOrder("MODIFIED b", "ADDED c", "DELETED a");
        Events later = new Events("watch=true&resourceVersion=" + versions.update(Comparison.NONE));
        bind("y", "c");
        assertThat(later.nextText()).isEqualTo("MODIFIED c");
    }

    @Test
    void refusesAVersionOfAnotherReplicaOrTooOldAnOne() throws Exception {
        long version = versions.update(Comparison.NONE);
        long other = new NodeResourceVersions(cluster.state).update(Comparison.NONE);
        assertThat(get("watch=1&resourceVersion=" + other).statusCode()).isEqualTo(410);
        assertThat(get("watch=1&resourceVersion=" + (version + 1)).statusCode()).isEqualTo(410);
        for (int i = 0; i <= NodeResourceVersions.MOST_DELETED; i++) {
            cluster.apply("apiVersion: v1\nkind: Node\nmetadata: {name: n}\n");
            versions.update(Comparison.NONE);
            cluster.state.nodeDeleted("n");
            versions.update(Comparison.NONE);
        }
        assertThat(get("watch=1&resourceVersion=" + version).statusCode()).isEqualTo(410);
    }

    /** HTTP/1.1 has no place for the answer to a second request. */
    @Test
    void cutsACallerThatAsksMeanwhile() throws Exception {
        String request = "GET /numanodes?watch=true HTTP/1.1\r\nHost: a\r\n\r\n";
        try (Socket caller =
                new Socket(server.address().getAddress(), server.address().getPort())) {
            caller.getOutputStream().write(request.repeat(2).getBytes(StandardCharsets.US_ASCII));
            String answers = new String(caller.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(answers.split("HTTP/1.1 ", -1)).hasSize(2);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
        watch=true&labelSelector=a%3Db        | cannot select: labelSelector=a=b fieldSelector=; a watch of numanodes selects by metadata.name=NODE only
        watch=true&fieldSelector=spec.x%3Db   | cannot select: labelSelector= fieldSelector=spec.x=b; a watch of numanodes selects by metadata.name=NODE only
        watch=true&resourceVersion=x          | not a number: resourceVersion=x
        watch=true&sendInitialEvents=true     | sendInitialEvents needs resourceVersionMatch=NotOlderThan and allowWatchBookmarks=true
        """)
    void refusesWhatItDoesNotServe(String query, String why) throws Exception {
        HttpResponse<InputStream> answer = get(query);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(new String(answer.body().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo(why + "\n");
    }

    @Test
    void limitsTheWatchesOfACaller() throws Exception {
        for (int i = 0; i < NodeWatches.MOST_OF_CALLER; i++) {
            new Events(ALL_FIRST).next();
        }
        HttpResponse<InputStream> refused = get(ALL_FIRST);
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).contains("1");
        new Events(ALL_FIRST + "&as=another").next();

        for (InputStream each : opened) {
            each.close();
        }
        await().atMost(TIMEOUT).until(() -> watches.count() == 0);
        new Events(ALL_FIRST).next();
    }

    @Test
    void sendsNothingOfANodeWhoseAnswerIsTheSame() throws Exception {
        Events events = new Events(ALL_FIRST);
        for (int i = 0; i < 3; i++) {
            events.next();
        }
        cluster.state.nodeChanged(cluster.snapshot("a").node());
        bind("x", "a");
        assertThat(events.nextText()).isEqualTo("MODIFIED a");
        bind("y", "b");
        assertThat(events.nextText()).isEqualTo("MODIFIED b");
    }

    /** Who has listed may have an answer from before the first comparison. */
    @Test
    void keepsTheVersionOfANodeThatIsComparedAgain() {
        long listed = versions.update(Comparison.NONE);
        NodeEvents events = new NodeEvents(cluster.state);
        versions.compareAgain("a", events);
        long compared = versions.update(events);
        versions.compareAgain("a", events);

        assertThat(compared).isEqualTo(listed + 1);
        assertThat(versions.update(events)).isEqualTo(compared);
    }

    @Test
    void tellsOfAChangeBeforeTheFirstComparison() {
        long listed = versions.update(Comparison.NONE);
        NodeEvents events = new NodeEvents(cluster.state);
        bind("x", "a");
        versions.compareAgain("a", events);
        versions.update(events);

        assertThat(versions.since(listed)).extracting(change -> change.node()).containsExactly("a");
    }

    @Test
    void endsWithABookmarkWhenItsTimeIsOver() throws Exception {
        Events events = new Events(ALL_FIRST + "&timeoutSeconds=1");
        for (int i = 0; i < 3; i++) {
            events.next();
        }
        JsonNode last = events.next();
        assertThat(last.path("type").asText()).isEqualTo("BOOKMARK");
        assertThat(version(last)).isEqualTo(String.valueOf(versions.update(Comparison.NONE)));
        assertThat(events.next().isNull()).isTrue();
    }

    @Test
    void namesThePodsThatTheCallerMayList() throws Exception {
        bind("x", "a");
        Events events = new Events("watch=true&fieldSelector=metadata.name%3Da&as=some");
        JsonNode first = events.next();
        assertThat(first.at("/object/status/otherPods/count").asInt()).isEqualTo(1);
        assertThat(first.toString()).doesNotContain("default/x");
        bind("y", "b");
        bind("z", "a");
        JsonNode next = events.next();
        assertThat(next.at("/object/status/otherPods/count").asInt()).isEqualTo(2);
        assertThat(next.toString()).doesNotContain("default/");
    }

    @Test
    void sendsWhatKubectlPrints() throws Exception {
        JsonNode first = new Events("watch=true&fieldSelector=metadata.name%3Da&as=kubectl").next();
        assertThat(first.at("/object/kind").asText()).isEqualTo("Table");
        assertThat(first.at("/object/rows/0/cells/0").asText()).isEqualTo("a");
        assertThat(first.at("/object/metadata/resourceVersion").asText()).isNotEmpty();
    }

    /** What is not read fills the buffers of the two sockets, and 64 KiB here. */
    @Test
    void cutsACallerThatReadsNothing() throws Exception {
        for (int i = 0; i < 1_500; i++) {
            cluster.apply(ClusterYaml.nodeOf34Zones("n" + i));
        }
        try (Socket caller = new Socket()) {
            caller.setReceiveBufferSize(1 << 12);
            caller.connect(server.address());
            caller.getOutputStream()
                    .write("GET /numanodes?watch=true HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            await().atMost(TIMEOUT).until(() -> statuses.contains(200));
            await().atMost(TIMEOUT).until(() -> watches.count() == 0);
        }
    }
}
