package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.numaledger.kubectl.client.UnknownNameException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Whether a cluster answers, and what is shown while it does not. The time is that of a clock of the test. */
class LivenessTest {

    private static final Instant NOON = Instant.parse("2026-11-28T12:00:00Z");
    private static final String AWAY = "Unable to connect to the server: net/http: TLS handshake timeout";

    @TempDir
    private Path directory;

    private volatile Instant now = NOON;
    private final AtomicReference<String> failure = new AtomicReference<>("");
    private final ShownCluster shown = new ShownCluster(
            () -> {
                throw new IOException("no zones are read here");
            },
            new Changes(),
            () -> answer("", Map.of()),
            () -> now);

    private JsonNode answer(String path, Map<String, String> query) throws IOException {
        if (!failure.get().isEmpty()) {
            throw new IOException(failure.get());
        }
        return JsonNodeFactory.instance.objectNode().put("path", path);
    }

    /** As an API server whose process is stopped: the kernel accepts the connection. */
    @Test
    void aClusterThatAcceptsAndSaysNothingIsNotLive() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            silent.setSoTimeout(120_000);
            Path kubectl = Files.writeString(
                    directory.resolve("kubectl"), """
                    #!/bin/bash
                    echo "$*" > '%s'
                    exec 3<>/dev/tcp/127.0.0.1/%d
                    exec cat <&3
                    """.formatted(directory.resolve("asked"), silent.getLocalPort()));
            Files.setPosixFilePermissions(kubectl, PosixFilePermissions.fromString("rwx------"));
            Liveness liveness = new Liveness(GivenCluster.of(kubectl.toString())::ask, () -> now);
            CompletableFuture<Boolean> again = CompletableFuture.supplyAsync(liveness::ask);
            try (Socket connection = silent.accept()) {
                now = NOON.plusSeconds(9);
                assertThat(liveness.problem()).isEmpty();
                now = NOON.plusSeconds(12);
                assertThat(liveness.problem())
                        .contains("the cluster has not answered for 12 s; check with kubectl version");
                connection.getOutputStream().write("{}".getBytes(StandardCharsets.US_ASCII));
            }
            assertThat(again.get()).as("it answers again").isTrue();
            assertThat(liveness.problem()).isEmpty();
            assertThat(liveness.answeredAt()).contains(now);
            assertThat(directory.resolve("asked"))
                    .content()
                    .isEqualTo("get --raw /apis/numaledger.io/v1alpha1 --request-timeout=15s\n");
        }
    }

    @Test
    void aFailureLastsUntilAnAnswer() throws IOException {
        Liveness liveness = new Liveness(() -> answer("", Map.of()), () -> now);

        assertThat(liveness.ask()).as("it has not failed before").isFalse();
        failure.set(AWAY);
        assertThat(liveness.ask()).isFalse();
        assertThat(liveness.problem()).contains(AWAY);
        failure.set("");
        assertThat(liveness.ask()).isTrue();
        assertThat(liveness.problem()).isEmpty();
    }

    @Test
    void aViewShowsWhatWasReadLastAndWhy() throws IOException {
        AtomicReference<Optional<String>> problem = new AtomicReference<>(Optional.empty());
        LastRead view = new LastRead(this::answer, problem::get);

        assertThat(view.read("a", Map.of())).hasToString("{\"path\":\"a\"}");
        problem.set(Optional.of("no answer"));
        assertThat(view.read("a", Map.of())).hasToString("{\"path\":\"a\",\"unread\":\"no answer\"}");
        problem.set(Optional.empty());
        failure.set(AWAY);
        assertThat(view.read("a", Map.of())).hasToString("{\"path\":\"a\",\"unread\":\"%s\"}".formatted(AWAY));
        assertThatThrownBy(() -> view.read("b", Map.of())).hasMessage(AWAY);
        failure.set("");
        assertThat(view.read("a", Map.of())).hasToString("{\"path\":\"a\"}");
    }

    @Test
    void aViewShowsNothingThatDoesNotExistAnyMore() throws IOException {
        AtomicReference<Boolean> exists = new AtomicReference<>(true);
        LastRead view = new LastRead(
                (path, query) -> {
                    if (!exists.get()) {
                        throw UnknownNameException.node(path, List.of());
                    }
                    return answer(path, query);
                },
                Optional::empty);

        assertThat(view.read("n", Map.of())).isNotEmpty();
        exists.set(false);
        assertThatThrownBy(() -> view.read("n", Map.of())).hasMessageStartingWith("no such node: node=n");
    }

    @Test
    void saysWhichClusterOrDumpIsShownAndWhenItWasRead() throws IOException {
        assertThat(new StateData(shown, "kind", Optional.empty()).read("", Map.of()))
                .hasToString("{\"name\":\"kind\",\"dump\":false}");
        assertThat(new StateData(shown, "dump.yaml", Optional.of(NOON)).read("", Map.of()))
                .hasToString("{\"name\":\"dump.yaml\",\"dump\":true,\"at\":\"2026-11-28T12:00:00Z\"}");
    }
}
