package io.numaledger.bridge.run;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.watch.ClusterReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** What callers send that wish a bridge ill, or are broken. Each gets an answer with a reason, and others are served. */
class HostileCallersTest {

    private static final Duration SOON = Duration.ofMinutes(3);
    private static final String POD =
            "{\"Pod\":{\"metadata\":{\"name\":\"x\",\"uid\":\"u\"},\"spec\":{\"containers\":[]}},\"NodeNames\":[\"n\"]}";

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private KubernetesClient client;
    private Bridge bridge;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        bridge = new Bridge(BridgeOptions.plainHttp(0), client);
        bridge.start();
        await().atMost(SOON).until(bridge::isReady);
    }

    @AfterEach
    void stop() {
        bridge.close();
        client.close();
        server.close();
    }

    static Stream<Arguments> bodies() throws IOException {
        byte[] deep = "[".repeat(1 << 20).getBytes(StandardCharsets.US_ASCII);
        byte[] deepPod = ("{\"Pod\":" + "{\"a\":".repeat(100_000)).getBytes(StandardCharsets.US_ASCII);
        byte[] gzip = gzip(POD);
        byte[] invalid = POD.replace("\"x\"", "\"\u00ff\u00fe\"").getBytes(StandardCharsets.ISO_8859_1);
        byte[] number = "{\"Pod\":%s}".formatted("9".repeat(100_000)).getBytes(StandardCharsets.US_ASCII);
        return Stream.of(
                arguments("/filter", deep, "malformed request"),
                arguments("/filter", deepPod, "malformed request"),
                arguments("/filter", gzip, "malformed request"),
                arguments("/filter", invalid, "malformed request"),
                arguments("/filter", number, "malformed request"),
                arguments("/filter", new byte[0], "malformed request: Pod is missing"),
                arguments("/bind", deep, "malformed request"),
                arguments("/bind", gzip, "malformed request"),
                arguments("/bind", "null".getBytes(StandardCharsets.US_ASCII), "malformed request"));
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void getAReason(String path, byte[] body, String reason) throws Exception {
        HttpResponse<String> answer = post(path, body);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).startsWith(reason).hasSizeLessThan(1_000);
        assertThat(post("/filter", POD.getBytes(StandardCharsets.UTF_8)).statusCode())
                .isEqualTo(200);
    }

    @Test
    void bindNothingThatIsNotThere() throws Exception {
        for (String body : new String[] {
            "{\"PodName\":\"x\",\"PodNamespace\":\"default\",\"PodUID\":\"u\",\"Node\":\"n\"}",
            "{\"PodName\":\"../x\",\"PodNamespace\":\"default/..\",\"PodUID\":\"\",\"Node\":\"../n\"}",
            "{\"PodName\":\"x?a=b\",\"PodNamespace\":\"de fault\",\"PodUID\":\"u\",\"Node\":\"n\"}"
        }) {
            HttpResponse<String> answer = post("/bind", body.getBytes(StandardCharsets.UTF_8));

            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            assertThat(answer.body()).startsWith("{\"Error\":\"");
            assertThat(answer.body()).isNotEqualTo("{\"Error\":\"\"}");
        }
        assertThat(server.requests().writes()).isEmpty();
    }

    private HttpResponse<String> post(String path, byte[] body) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s"
                                        .formatted(bridge.address().getPort(), path)))
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }
}
