package io.numaledger.bridge.run;

import io.numaledger.apiservers.fake.ApiServerSettings;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.bridge.BridgeMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A process of the bridge that starts before the API server. */
class StartWithoutApiServerTest {

    private static final Duration SOON = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    private final int api = FreePort.next();
    private final int probes = FreePort.next();
    private final HttpClient http = HttpClient.newHttpClient();

    private Path kubeconfig() throws IOException {
        return Files.writeString(directory.resolve("config"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {}}]
                contexts: [{name: x, context: {cluster: c, user: u, namespace: default}}]
                current-context: x
                """.formatted(api));
    }

    private ChildProcess startBridge() throws IOException {
        return ChildProcess.start("bridge", directory, command());
    }

    private List<String> command() throws IOException {
        return List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                BridgeMain.class.getName(),
                "run",
                "--listen=127.0.0.1:0",
                "--metrics-listen=127.0.0.1:" + probes,
                "--insecure-http",
                "--kubeconfig=" + kubeconfig());
    }

    private EmbeddedApiServer startApiServer() {
        return EmbeddedApiServer.start(
                new ApiServerSettings(api, 10_000, Duration.ofMinutes(1), InstantSource.system(), Optional.empty()));
    }

    private String probe(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(probes, path)))
                .build();
        try {
            HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (Exception e) {
            return e.toString();
        }
    }

    @Test
    void waitsAndSaysSo() throws Exception {
        try (ChildProcess bridge = startBridge()) {
            await("it says why it is not ready")
                    .atMost(SOON)
                    .until(
                            () -> probe("/readyz"),
                            answer -> answer.startsWith("503 the bridge waits for the API server: the API server cannot"
                                    + " be reached: url=http://127.0.0.1:" + api));
            assertThat(probe("/healthz")).startsWith("200 ");
            try (EmbeddedApiServer server = startApiServer()) {
                assertThat(server).isNotNull();
                await("it is ready").atMost(SOON).until(() -> probe("/readyz"), answer -> answer.startsWith("200 "));
            }
            assertThat(bridge.isAlive()).isTrue();
            assertThat(Files.readString(directory.resolve("bridge.log")))
                    .containsOnlyOnce("event=bridge.waiting")
                    .containsOnlyOnce("event=bridge.api_server_answers");
        }
    }

    @Test
    void endsWithSuccessWhenItIsStopped() throws Exception {
        Process bridge = new ProcessBuilder(command())
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("bridge.log").toFile())
                .start();
        try {
            await("it waits").atMost(SOON).until(() -> probe("/healthz"), answer -> answer.startsWith("200 "));

            bridge.destroy();

            assertThat(bridge.waitFor(20, TimeUnit.SECONDS)).isTrue();
            assertThat(bridge.exitValue()).isZero();
        } finally {
            bridge.destroyForcibly();
        }
    }

    @Test
    void waitsWhileNobodyIsAuthenticated() throws Exception {
        try (EmbeddedApiServer server = startApiServer()) {
            server.faults().always(any -> true, new Fault.ErrorResponse(401, "Unauthorized", Optional.empty()));
            try (ChildProcess bridge = startBridge()) {
                await("it says why it is not ready")
                        .atMost(SOON)
                        .ignoreExceptions()
                        .until(() -> Files.readString(directory.resolve("bridge.log"))
                                .contains("event=watch.failed kind=Node error=\"Failure executing: GET"));
                assertThat(probe("/readyz")).startsWith("503 ");
                assertThat(probe("/healthz")).startsWith("200 ");
                server.faults().clear();
                await("it is ready").atMost(SOON).until(() -> probe("/readyz"), answer -> answer.startsWith("200 "));
                assertThat(bridge.isAlive()).isTrue();
            }
        }
    }
}
