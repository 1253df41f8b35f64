package io.numaledger.agent;

import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The agent process ends on SIGTERM, with the status of success. The footprint benchmark measures how long that takes. */
class SigtermTest {

    private static final Duration SOON = Duration.ofMinutes(3);

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private FaultyKubelet kubelet;
    private Optional<AgentProcess> agent = Optional.empty();

    @BeforeEach
    void startServers() throws Exception {
        server = EmbeddedApiServer.start();
        kubelet = new FaultyKubelet(directory.resolve("kubelet.sock"));
    }

    @AfterEach
    void stop() {
        agent.ifPresent(AgentProcess::close);
        kubelet.close();
        server.close();
    }

    @Test
    void stopsInOrder() throws Exception {
        Process started = start();
        await().atMost(SOON).until(() -> log().contains("event=nrt.published"));

        started.destroy();

        assertThat(started.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(started.exitValue()).as(log()).isZero();
        assertThat(log()).contains("event=agent.stopped");
    }

    @Test
    void stopsWhileACallOfTheApiServerIsPending() throws Exception {
        server.faults().always(SigtermTest::isTopologyWrite, new Fault.Delay(Duration.ofHours(1)));
        Process started = start();
        await().atMost(SOON).until(() -> server.requests().count(SigtermTest::isTopologyWrite) > 0);

        started.destroy();

        assertThat(started.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(started.exitValue()).as(log()).isZero();
        assertThat(log()).contains("event=agent.stopped").doesNotContain("event=stop.timed_out");
    }

    @Test
    void stopsWhileItStarts() throws Exception {
        server.faults().always(request -> !request.isWrite(), new Fault.Delay(Duration.ofHours(1)));
        Process started = start();
        await().atMost(SOON).until(() -> server.requests().count(request -> !request.isWrite()) > 0);

        started.destroy();

        assertThat(started.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(started.exitValue()).as(log()).isZero();
    }

    private static boolean isTopologyWrite(RecordedRequest request) {
        return request.isWrite() && request.path().contains("noderesourcetopologies");
    }

    private Process start() throws IOException, InterruptedException {
        AgentProcess started = AgentProcess.start(server, directory);
        agent = Optional.of(started);
        return started.process();
    }

    private String log() throws IOException {
        return agent.orElseThrow().log();
    }
}
