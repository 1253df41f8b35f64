package io.numaledger.bridge.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.ApiServerSettings;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A running bridge, and an API server that is slow, refuses writes or forgets its history. It sends no bookmarks. */
class ApiFaultsTest {

    private static final Duration SOON = Duration.ofMinutes(3);
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private Bridge bridge;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start(ApiServerSettings.standard().withBookmarkPeriod(Duration.ofDays(1)));
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        client.load(new ByteArrayInputStream(ClusterYaml.node("n").getBytes(StandardCharsets.UTF_8)))
                .create();
        bridge = new Bridge(BridgeOptions.plainHttp(0), client);
    }

    private void startBridge() {
        bridge.start();
        await().atMost(SOON).until(bridge::isReady);
    }

    @AfterEach
    void stop() {
        bridge.close();
        client.close();
        server.close();
    }

    private Pod create(String name) {
        return (Pod) client.resource("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec: {containers: [{name: c, image: x, resources: {limits: {cpu: "3", memory: 1Gi}}}]}
                """.formatted(name)).create();
    }

    private JsonNode post(String path, ObjectNode body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:%d%s".formatted(bridge.address().getPort(), path)))
                .timeout(Duration.ofMinutes(1))
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build();
        return JSON.readTree(
                http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    }

    /** Binds the pod; returns the error, which is empty on success. */
    private String bind(Pod pod) {
        try {
            return post(
                            "/bind",
                            JSON.createObjectNode()
                                    .put("PodName", pod.getMetadata().getName())
                                    .put("PodNamespace", "default")
                                    .put("PodUID", pod.getMetadata().getUid())
                                    .put("Node", "n"))
                    .path("Error")
                    .asText();
        } catch (Exception e) {
            return e.toString();
        }
    }

    private boolean passesTheFilter(Pod pod) throws Exception {
        ObjectNode args = JSON.createObjectNode();
        args.set("Pod", JSON.valueToTree(pod));
        args.putArray("NodeNames").add("n");
        return post("/filter", args).path("NodeNames").size() == 1;
    }

    private static boolean isBinding(RecordedRequest request) {
        return request.path().endsWith("/binding");
    }

    @Test
    void bindsAndFiltersWhileEachCallOfTheApiServerTakesFiveSeconds() throws Exception {
        startBridge();
        Pod slow = create("slow");
        Pod other = create("other");
        await().atMost(SOON)
                .until(() -> bridge.cluster().pods().get("default/other").isPresent());
        server.faults().always(any -> true, new Fault.Delay(Duration.ofSeconds(5)));

        CompletableFuture<String> bound = CompletableFuture.supplyAsync(() -> bind(slow));
        await().atMost(SOON).until(() -> bridge.cluster().reservations() == 1);
        assertThat(passesTheFilter(other)).isTrue();
        assertThat(bound).as("filter did not wait for the API server").isNotDone();

        assertThat(bound.get()).isEmpty();
        server.faults().clear();
        assertThat(client.resource(slow).get().getSpec().getNodeName()).isEqualTo("n");
    }

    @Test
    void conflictsReserveNothing() throws Exception {
        startBridge();
        server.faults().always(ApiFaultsTest::isBinding, Fault.ErrorResponse.conflict());
        Pod pod = create("p");
        for (int i = 0; i < 50; i++) {
            assertThat(bind(pod)).startsWith("cannot bind: pod=default/p node=n: ");
        }
        assertThat(bridge.cluster().reservations()).isZero();
        server.faults().clear();
        assertThat(bind(pod)).isEmpty();
    }

    @Test
    void listsAgainWithPausesWhileWatchesExpire() throws Exception {
        startBridge();
        Pod before = create("before");
        await().atMost(SOON)
                .until(() -> bridge.cluster().pods().get("default/before").isPresent());
        AtomicLong watches = new AtomicLong();
        server.faults()
                .always(
                        request -> {
                            boolean watch = request.isWatch();
                            if (watch) {
                                watches.incrementAndGet();
                            }
                            return watch;
                        },
                        new Fault.ErrorResponse(410, "Expired", Optional.empty()));
        long begun = System.nanoTime();
        server.faults().cutWatches();
        await().atMost(SOON).until(() -> watches.get() >= 20);
        long seconds = 1 + Duration.ofNanos(System.nanoTime() - begun).toSeconds();
        assertThat(passesTheFilter(before)).isTrue();
        Pod meanwhile = create("meanwhile");
        await("lists show it")
                .atMost(SOON)
                .until(() -> bridge.cluster().pods().get("default/meanwhile").isPresent());
        assertThat(watches.get()).as("watches begun within %d s", seconds).isLessThan(100 * seconds);
        server.faults().clear();
        Pod after = create("after");
        await().atMost(SOON)
                .until(() -> bridge.cluster().pods().get("default/after").isPresent());
        assertThat(passesTheFilter(after)).isTrue();
        assertThat(bind(meanwhile)).isEmpty();
    }

    @Test
    void becomesReadyAlthoughTheFirstListsFail() {
        create("p");
        server.faults()
                .times(
                        12,
                        request ->
                                request.method().equals("GET") && request.path().endsWith("/pods"),
                        Fault.ErrorResponse.unavailable());
        server.faults().times(2, request -> request.path().endsWith("/nodes"), new Fault.Drop());
        server.faults()
                .times(
                        2,
                        request -> request.path().endsWith("/noderesourcetopologies"),
                        new Fault.ErrorResponse(401, "Unauthorized", Optional.empty()));
        startBridge();
        assertThat(bridge.cluster().pods().count()).isOne();
        assertThat(bridge.cluster().snapshot("n").orElseThrow().topology()).isPresent();
    }
}
