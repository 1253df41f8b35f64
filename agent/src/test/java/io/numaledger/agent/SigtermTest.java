package io.numaledger.agent;

import io.numaledger.agent.sysfs.SysfsTree;
import io.numaledger.fakeapiserver.EmbeddedApiServer;
import io.numaledger.fakeapiserver.fault.Fault;
import io.numaledger.fakeapiserver.request.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The agent process ends on SIGTERM. The footprint benchmark measures how long that takes. */
class SigtermTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int ENDED_BY_SIGTERM = 143;

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private FaultyKubelet kubelet;
    private Optional<Process> agent = Optional.empty();

    @BeforeEach
    void startServers() throws Exception {
        server = EmbeddedApiServer.start();
        HttpRequest node = HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/nodes"))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"w\"}}"))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(node, BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(201);
        new SysfsTree(directory.resolve("hardware")).twoNodes();
        kubelet = new FaultyKubelet(directory.resolve("kubelet.sock"));
    }

    @AfterEach
    void stop() {
        agent.ifPresent(Process::destroyForcibly);
        kubelet.close();
        server.close();
    }

    @Test
    void stopsInOrder() throws Exception {
        Process started = start();
        await().atMost(SOON).until(() -> log().contains("event=nrt.published"));

        started.destroy();

        assertThat(started.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(started.exitValue()).isEqualTo(ENDED_BY_SIGTERM);
        assertThat(log()).contains("event=agent.stopped");
    }

    @Test
    void stopsWhileACallOfTheApiServerIsPending() throws Exception {
        server.faults().always(SigtermTest::isTopologyWrite, new Fault.Delay(Duration.ofHours(1)));
        Process started = start();
        await().atMost(SOON).until(() -> server.requests().count(SigtermTest::isTopologyWrite) > 0);

        started.destroy();

        assertThat(started.waitFor(5, TimeUnit.SECONDS)).isTrue();
        assertThat(started.exitValue()).isEqualTo(ENDED_BY_SIGTERM);
    }

    private static boolean isTopologyWrite(RecordedRequest request) {
        return request.isWrite() && request.path().contains("noderesourcetopologies");
    }

    private Process start() throws IOException {
        Process started = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        AgentMain.class.getName(),
                        "run",
                        "--node-name=w",
                        "--kubeconfig=" + server.writeKubeconfig(directory.resolve("kubeconfig")),
                        "--podresources-socket=" + directory.resolve("kubelet.sock"),
                        "--sysfs-root=" + directory.resolve("hardware/sys"),
                        "--topology-manager-policy=restricted",
                        "--topology-manager-scope=container",
                        "--cpu-manager-policy=static",
                        "--memory-manager-policy=None")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("agent.log").toFile())
                .start();
        agent = Optional.of(started);
        return started;
    }

    private String log() throws IOException {
        return Files.readString(directory.resolve("agent.log"));
    }
}
