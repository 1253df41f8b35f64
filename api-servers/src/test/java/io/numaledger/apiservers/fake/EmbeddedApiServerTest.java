package io.numaledger.apiservers.fake;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiservers.fake.ApiCalls.Reply;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.io.ByteArrayInputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import static io.numaledger.apiservers.fake.ApiCalls.APPLY;
import static io.numaledger.apiservers.fake.ApiCalls.MERGE;
import static io.numaledger.apiservers.fake.SampleObjects.NRTS;
import static io.numaledger.apiservers.fake.SampleObjects.nrt;
import static io.numaledger.apiservers.fake.SampleObjects.pod;
import static io.numaledger.apiservers.fake.SampleObjects.pods;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The features that a real server does not have: faults, a request log, and compaction on demand. */
class EmbeddedApiServerTest {

    private static final String PODS = pods("default");
    private static final String ANNOTATE = "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}";

    private EmbeddedApiServer server;
    private ApiCalls api;

    @BeforeEach
    void start() {
        start(ApiServerSettings.standard());
    }

    private void start(ApiServerSettings settings) {
        server = EmbeddedApiServer.start(settings);
        api = new ApiCalls(server.url(), HttpClient.newHttpClient(), "agent");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void servesHttpsWithACertificateThatClientsCanVerify(@TempDir Path directory) throws Exception {
        SelfSignedCertificate keys = SelfSignedCertificate.create(directory.resolve("keys.p12"));
        try (EmbeddedApiServer https =
                EmbeddedApiServer.start(ApiServerSettings.standard().withTls(keys.server()))) {
            HttpClient client = HttpClient.newBuilder()
                    .sslContext(trusting(keys.certificate()))
                    .build();

            assertThat(https.url()).hasScheme("https");
            assertThat(new ApiCalls(https.url(), client, "admin")
                            .get("/api/v1/namespaces/default")
                            .code())
                    .isEqualTo(200);
        }
    }

    private static SSLContext trusting(String certificate) throws Exception {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        trusted.setCertificateEntry(
                "server",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(certificate.getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(null, trust.getTrustManagers(), null);
        return tls;
    }

    @Test
    void recordsRequests() {
        api.post(PODS, pod("p", ""));
        api.patch(PODS + "/p?fieldManager=m", MERGE, ANNOTATE);
        api.get(PODS + "?fieldSelector=spec.nodeName=n1");

        RecordedRequest patch = server.requests()
                .matching(request -> request.method().equals("PATCH"))
                .get(0);
        assertThat(patch.path()).isEqualTo(PODS + "/p");
        assertThat(patch.query()).containsEntry("fieldManager", "m");
        assertThat(patch.contentType()).isEqualTo(MERGE);
        assertThat(patch.userAgent()).isEqualTo("contract/1.0");
        assertThat(patch.user()).isEqualTo("agent");
        assertThat(patch.body()).isEqualTo(ANNOTATE);
        assertThat(server.requests().writes()).hasSize(2);
        assertThat(server.requests().count(request -> request.query().containsKey("fieldSelector")))
                .isEqualTo(1);

        server.requests().clear();
        assertThat(server.requests().all()).isEmpty();
    }

    @Test
    void injectsAFaultOnce() throws Exception {
        server.faults()
                .once(
                        request -> request.method().equals("POST"),
                        Fault.ErrorResponse.tooManyRequests(Duration.ofSeconds(7)));

        HttpResponse<String> refused = HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(server.url().resolve(PODS))
                                .POST(HttpRequest.BodyPublishers.ofString(pod("p", "")))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).contains("7");
        assertThat(refused.body()).contains("\"reason\":\"TooManyRequests\"");
        assertThat(api.post(PODS, pod("p", "")).code()).isEqualTo(201);
    }

    @Test
    void countsTheUsesOfAFault() {
        server.faults().times(2, RecordedRequest::isWrite, Fault.ErrorResponse.internalError());
        server.faults().always(request -> request.path().equals(PODS + "/p"), Fault.ErrorResponse.unavailable());

        List<Integer> codes = IntStream.range(0, 3)
                .map(each -> api.post(PODS, pod("p", "")).code())
                .boxed()
                .toList();

        assertThat(codes).containsExactly(500, 500, 201);
        assertThat(api.get(PODS + "/p").code()).isEqualTo(503);
        server.faults().clear();
        assertThat(api.get(PODS + "/p").code()).isEqualTo(200);
    }

    @Test
    void dropsAConnectionAndChangesNothing() {
        // A POST, because the JDK's client repeats a failed GET.
        server.faults().always(request -> request.path().equals(PODS), new Fault.Drop());

        assertThatThrownBy(() -> api.post(PODS, pod("p", ""))).isInstanceOf(UncheckedIOException.class);

        server.faults().clear();
        assertThat(api.get(PODS + "/p").code()).isEqualTo(404);
    }

    @Test
    void delaysAResponse() {
        server.faults().once(request -> request.path().equals(PODS), new Fault.Delay(Duration.ofHours(1)));

        CompletableFuture<Reply> late = CompletableFuture.supplyAsync(() -> api.get(PODS));
        Awaitility.await()
                .atMost(Duration.ofMinutes(3))
                .until(() -> !server.requests().all().isEmpty());

        assertThat(api.get(PODS).code()).isEqualTo(200);
        assertThat(late).isNotDone();
    }

    @Test
    void cutsAWatchAfterANumberOfEvents() {
        server.faults().once(RecordedRequest::isWatch, new Fault.CutWatch(2));
        api.post(PODS, pod("a", ""));
        try (WatchReader watch = api.watch(PODS)) {
            assertThat(watch.nextShort()).isEqualTo("ADDED a");
            api.post(PODS, pod("b", ""));
            assertThat(watch.nextShort()).isEqualTo("ADDED b");
            assertThat(watch.endsCleanly()).isFalse();
        }
    }

    @Test
    void cutsAllWatchesAtOnce() {
        try (WatchReader one = api.watch(PODS);
                WatchReader other = api.watch(NRTS)) {
            server.faults().cutWatches();
            assertThat(one.endsCleanly()).isFalse();
            assertThat(other.endsCleanly()).isFalse();
        }
        try (WatchReader next = api.watch(PODS)) {
            api.post(PODS, pod("a", ""));
            assertThat(next.nextShort()).isEqualTo("ADDED a");
        }
    }

    @Test
    void aWatchFromBeforeACompactionIsGone() {
        String version = api.post(PODS, pod("a", "")).resourceVersion();
        api.post(PODS, pod("b", ""));
        String rest = api.get(PODS + "?limit=1").at("/metadata/continue").asText();
        api.post(PODS, pod("c", ""));
        server.compact();
        try (WatchReader watch = api.watch(PODS + "?resourceVersion=" + version)) {
            JsonNode error = watch.next();
            assertThat(error.path("type").asText()).isEqualTo("ERROR");
            assertThat(error.at("/object/code").asInt()).isEqualTo(410);
            assertThat(error.at("/object/reason").asText()).isEqualTo("Expired");
            assertThat(error.at("/object/message").asText())
                    .isEqualTo("too old resource version: %s (%d)".formatted(version, server.resourceVersion()));
            assertThat(watch.endsCleanly()).isTrue();
        }
        assertThat(api.get(PODS + "?limit=1&continue=" + rest).message())
                .startsWith("The provided continue parameter is too old to display a consistent list result.");
        assertThat(api.get(PODS + "?resourceVersionMatch=Exact&resourceVersion=" + version)
                        .code())
                .isEqualTo(410);
    }

    @Test
    void discardsTheOldestChanges() {
        stop();
        start(ApiServerSettings.standard().withHistoryLimit(2));
        String version = api.post(PODS, pod("a", "")).resourceVersion();
        api.post(PODS, pod("b", ""));
        api.post(PODS, pod("c", ""));
        try (WatchReader near = api.watch(PODS + "?resourceVersion=" + version)) {
            assertThat(near.nextShort(2)).containsExactly("ADDED b", "ADDED c");
        }
        api.post(PODS, pod("d", ""));
        try (WatchReader far = api.watch(PODS + "?resourceVersion=" + version)) {
            assertThat(far.next().at("/object/code").asInt()).isEqualTo(410);
        }
    }

    @Test
    void sendsBookmarksOnRequest() {
        stop();
        start(ApiServerSettings.standard().withBookmarkPeriod(Duration.ofMillis(20)));
        String version = api.get(PODS).resourceVersion();
        try (WatchReader watch = api.watch(PODS + "?allowWatchBookmarks=true&resourceVersion=" + version)) {
            api.post(NRTS, nrt("n1", "\"zones\":[]"));
            Awaitility.await().atMost(Duration.ofMinutes(3)).until(() -> {
                JsonNode bookmark = watch.next();
                assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
                return bookmark.at("/object/metadata/resourceVersion").asLong() == server.resourceVersion();
            });
        }
    }

    @Test
    void givesTheSameResponsesToTheSameRequests() {
        ApiServerSettings fixed =
                ApiServerSettings.standard().withClock(InstantSource.fixed(Instant.parse("2026-11-21T10:00:00.5Z")));
        List<String> first = responses(fixed);
        List<String> second = responses(fixed);

        assertThat(second).isEqualTo(first);
        assertThat(first.get(0)).contains("\"creationTimestamp\":\"2026-11-21T10:00:00Z\"");
    }

    @Test
    void keepsEveryWriteOfManyWriters() {
        api.post(NRTS, nrt("n1", "\"zones\":[]"));
        List<CompletableFuture<Integer>> writers = IntStream.range(0, 8)
                .mapToObj(writer -> CompletableFuture.supplyAsync(() -> annotateOften(writer)))
                .toList();

        assertThat(writers.stream().map(CompletableFuture::join)).containsOnly(20);
        assertThat(api.get(NRTS + "/n1").at("/metadata/annotations")).hasSize(160);
    }

    @Test
    void watchersSeeAllWritesInOrder() {
        String version = api.get(NRTS).resourceVersion();
        try (WatchReader watch = api.watch(NRTS + "?resourceVersion=" + version)) {
            api.post(NRTS, nrt("n1", "\"zones\":[]"));
            CompletableFuture<Integer> writer = CompletableFuture.supplyAsync(() -> annotateOften(0));
            List<Long> versions = new ArrayList<>();
            for (int i = 0; i < 21; i++) {
                versions.add(watch.next().at("/object/metadata/resourceVersion").asLong());
            }
            assertThat(versions).isSorted().doesNotHaveDuplicates();
            assertThat(writer.join()).isEqualTo(20);
        }
    }

    @Test
    void saysWhichPortItCannotUse() {
        URI used = server.url();
        assertThatThrownBy(() -> EmbeddedApiServer.start(new ApiServerSettings(
                        used.getPort(), 1, Duration.ofMinutes(1), InstantSource.system(), Optional.empty())))
                .hasMessage("cannot start the embedded API server: port=%d; choose a free port, or 0"
                        .formatted(used.getPort()));
        assertThatThrownBy(() -> ApiServerSettings.standard().withHistoryLimit(0))
                .hasMessage("a server without history cannot serve a watch: historyLimit=0; keep at least 1 change");
    }

    private int annotateOften(int writer) {
        int done = 0;
        for (int i = 0; i < 20; i++) {
            String patch = "{\"metadata\":{\"annotations\":{\"w%d-%d\":\"x\"}}}".formatted(writer, i);
            done += api.patch(NRTS + "/n1", MERGE, patch).code() == 200 ? 1 : 0;
        }
        return done;
    }

    private List<String> responses(ApiServerSettings settings) {
        stop();
        start(settings);
        return List.of(
                api.post(PODS, pod("p", "")).body().toString(),
                api.patch(NRTS + "/n1?force=true&fieldManager=m", APPLY, nrt("n1", "\"zones\":[]"))
                        .body()
                        .toString(),
                api.get(PODS).body().toString());
    }
}
