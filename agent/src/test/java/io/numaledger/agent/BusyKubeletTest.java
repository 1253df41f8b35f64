package io.numaledger.agent;

import io.grpc.Status;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.agent.sysfs.SysfsTree;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

/** The agent program with a kubelet or an API server that refuses calls, answers late, or is missing for a while. */
class BusyKubeletTest {

    private static final Duration SOON = Duration.ofMinutes(3);
    private static final String POD = "/api/v1/namespaces/default/pods/p";

    @TempDir
    private Path directory;

    private Path socket;
    private EmbeddedApiServer server;
    private ApiServer api;
    private FaultyKubelet kubelet;
    private Thread agent;
    private int touched;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        api = ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(1000, 1000, System::nanoTime));
        api.post("/api/v1/nodes", "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"w\"}}", j -> "");
        api.post("/api/v1/namespaces/default/pods", """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
                 "spec":{"nodeName":"w","containers":[{"name":"c","image":"none"}]}}""", json -> "");
        touch();
        new SysfsTree(directory.resolve("hardware")).twoNodes();
        socket = directory.resolve("kubelet.sock");
        kubelet = new FaultyKubelet(socket);
        agent = new Thread(() -> AgentMain.execute(
                "run",
                "--node-name=w",
                "--kubeconfig=" + kubeconfig,
                "--podresources-socket=" + socket,
                "--sysfs-root=" + directory.resolve("hardware/sys"),
                "--device-interval=1h",
                "--topology-manager-policy=restricted",
                "--topology-manager-scope=container",
                "--cpu-manager-policy=static",
                "--memory-manager-policy=None"));
        agent.start();
        await().atMost(SOON).until(this::annotated);
    }

    @AfterEach
    void stop() throws InterruptedException {
        agent.interrupt();
        agent.join();
        kubelet.close();
        api.close();
        server.close();
    }

    @Test
    void backsOffFromARateLimitedKubeletAndRecovers() throws IOException {
        kubelet.answersWith(FaultyKubelet.RATE_LIMITED);
        removeAnnotation();
        await().atMost(SOON).pollInterval(Duration.ofMillis(20)).until(() -> {
            touch();
            return kubelet.gaps().size() >= 4;
        });
        List<Long> gaps = kubelet.gaps();
        assertThat(gaps.get(0)).isGreaterThanOrEqualTo(250);
        assertThat(gaps.get(1)).isGreaterThanOrEqualTo(500);
        assertThat(gaps.get(2)).isGreaterThanOrEqualTo(1000);
        assertThat(gaps.get(3)).isGreaterThanOrEqualTo(2000);
        kubelet.answersWith(Status.OK);
        await().atMost(SOON).until(this::annotated);
    }

    @Test
    void recoversFromAKubeletThatTimesOut() throws IOException {
        kubelet.answersWith(Status.DEADLINE_EXCEEDED);
        removeAnnotation();
        await().atMost(SOON).until(() -> kubelet.gaps().size() >= 2);
        assertThat(kubelet.gaps().get(1)).isGreaterThanOrEqualTo(500);
        kubelet.answersWith(Status.OK);
        await().atMost(SOON).until(this::annotated);
    }

    @Test
    void waitsForAMissingSocketAndUsesTheNewOne() throws IOException {
        kubelet.close();
        removeAnnotation();
        kubelet = new FaultyKubelet(socket);
        await().atMost(SOON).until(this::annotated);
    }

    /** KAI's exporter retries each pod once a second after every error. */
    @ParameterizedTest(name = "status {0}")
    @ValueSource(ints = {403, 429, 500})
    void backsOffFromAnApiServerThatRefusesWrites(int status) throws IOException {
        server.faults()
                .always(
                        request -> request.isWrite() && request.path().equals(POD) && isAgents(request),
                        new Fault.ErrorResponse(status, "Refused", Optional.empty()));
        removeAnnotation();
        await().atMost(SOON).until(() -> refusals() >= 1);
        await().during(Duration.ofSeconds(4)).atMost(SOON).until(() -> refusals() <= 5);
        server.faults().clear();
        await().atMost(SOON).until(this::annotated);
    }

    private static boolean isAgents(RecordedRequest request) {
        return request.parameter("fieldManager").equals(Optional.of("numaledger-agent"));
    }

    private long refusals() {
        return server.requests().count(request -> request.path().equals(POD) && isAgents(request)) - 1;
    }

    /** The one-shot mode of resource-topology-exporter does not end. */
    @Test
    void endsInOnceMode() {
        assertThat(assertTimeoutPreemptively(
                        SOON,
                        () -> AgentMain.execute(
                                "once",
                                "--node-name=w",
                                "--kubeconfig=" + directory.resolve("kubeconfig"),
                                "--podresources-socket=" + socket,
                                "--sysfs-root=" + directory.resolve("hardware/sys"))))
                .isZero();
    }

    private boolean annotated() throws IOException {
        return api.<String>get(POD, json -> {
                    StringBuilder text = new StringBuilder();
                    while (json.nextToken() != null) {
                        text.append(json.getText()).append(' ');
                    }
                    return text.toString();
                })
                .contains(Annotations.OBSERVED);
    }

    private void removeAnnotation() throws IOException {
        api.patch(
                POD,
                ApiServer.MERGE_PATCH,
                "{\"metadata\":{\"annotations\":{\"%s\":null}}}".formatted(Annotations.OBSERVED),
                json -> "");
    }

    /** Changes the pod, so that the agent gets a watch event. */
    private void touch() throws IOException {
        touched++;
        api.patch(
                POD + "/status",
                ApiServer.MERGE_PATCH,
                "{\"status\":{\"phase\":\"Running\",\"reason\":\"%d\",\"startTime\":\"2026-01-01T00:00:00Z\"}}"
                        .formatted(touched),
                json -> "");
    }
}
