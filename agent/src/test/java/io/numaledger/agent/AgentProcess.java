package io.numaledger.agent;

import io.numaledger.agent.sysfs.SysfsTree;
import io.numaledger.apiservers.fake.EmbeddedApiServer;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** {@code agent run} as a process of its own, for the node {@code w} with two NUMA nodes. Its socket is {@code kubelet.sock}. */
final class AgentProcess implements AutoCloseable {

    private static final Path IMAGE_FLAGS =
            Path.of(System.getProperty("numaledger.root"), "images/src/main/image/agent/java.args");
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final Process process;
    private final Path log;

    private AgentProcess(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /**
     * As in the image, but for the flags that name its files.
     *
     * @param flags of {@code agent run}, beside those that every agent of these tests has
     */
    static AgentProcess startAsInImage(EmbeddedApiServer server, Path directory, String... flags)
            throws IOException, InterruptedException {
        return start(
                server,
                directory,
                Files.readAllLines(IMAGE_FLAGS).stream()
                        .takeWhile(flag -> !flag.equals("-cp"))
                        .filter(flag -> !flag.startsWith("-Djna.") && !flag.startsWith("-Dnumaledger.script="))
                        .toList(),
                List.of(flags));
    }

    /**
     * Creates the Node, and starts the agent.
     *
     * @param jvmFlags of its Java
     */
    static AgentProcess start(EmbeddedApiServer server, Path directory, String... jvmFlags)
            throws IOException, InterruptedException {
        return start(server, directory, List.of(jvmFlags), List.of());
    }

    private static AgentProcess start(
            EmbeddedApiServer server, Path directory, List<String> jvmFlags, List<String> flags)
            throws IOException, InterruptedException {
        HttpRequest node = HttpRequest.newBuilder(URI.create(server.url() + "/api/v1/nodes"))
                .POST(HttpRequest.BodyPublishers.ofString(
                        "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"w\"}}"))
                .build();
        assertThat(HttpClient.newHttpClient()
                        .send(node, BodyHandlers.discarding())
                        .statusCode())
                .isEqualTo(201);
        new SysfsTree(directory.resolve("hardware")).twoNodes();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvmFlags);
        command.addAll(List.of(
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
                "--memory-manager-policy=None"));
        command.addAll(flags);
        Path log = directory.resolve("agent.log");
        return new AgentProcess(
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start(),
                log);
    }

    Process process() {
        return process;
    }

    String log() throws IOException {
        return Files.readString(log);
    }

    /** Until a text is in the log; fails if the process ends before. */
    void awaitLog(String text) throws IOException {
        await("%s in the log of the agent".formatted(text))
                .atMost(TIMEOUT)
                .until(() -> !process.isAlive() || log().contains(text));
        assertThat(log()).contains(text);
        assertThat(process.isAlive()).as("the agent runs: %s", log()).isTrue();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
