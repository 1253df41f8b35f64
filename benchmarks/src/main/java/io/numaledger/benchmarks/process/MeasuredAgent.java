package io.numaledger.benchmarks.process;

import io.numaledger.agent.AgentMain;
import io.numaledger.images.rootfs.ContainedProgram;
import io.numaledger.realapiserver.ChildProcess;
import io.numaledger.realapiserver.FreePort;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/** An agent of one node as a process of its own, with the Java flags of the chart, whose cost and metrics can be read. */
public final class MeasuredAgent implements AutoCloseable {

    /** The Java flags of the chart. */
    private static final List<String> JAVA_FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Xss256k",
            "-Xms6m",
            "-Xmx48m",
            "-Xmn3m",
            "-XX:MinHeapFreeRatio=10",
            "-XX:MaxHeapFreeRatio=25",
            "-XX:MaxMetaspaceSize=64m",
            "-XX:ReservedCodeCacheSize=24m",
            "-Dio.netty.allocator.type=unpooled",
            "-Dio.netty.noPreferDirect=true");

    private final String node;
    private final ChildProcess process;
    private final int port;
    private final boolean contained;
    private final HttpClient http = HttpClient.newHttpClient();

    private MeasuredAgent(String node, ChildProcess process, int port, boolean contained) {
        this.node = node;
        this.process = process;
        this.port = port;
        this.contained = contained;
    }

    /**
     * Starts the agent.
     *
     * @param apiPort the port of 127.0.0.1 where it reaches the API server: the server's own, or that of a proxy
     * @param root a root file system that {@code ./numaledger rootfs} made; empty: this build's classes and this Java
     * @param javaOptions beside those of the chart or of the root file system
     */
    public static MeasuredAgent start(
            SimCluster cluster, SimNode node, int apiPort, Optional<Path> root, String javaOptions) throws IOException {
        int port = FreePort.next();
        List<String> command = root.isPresent()
                ? contained(cluster, node, apiPort, root.get(), port, javaOptions)
                : ofClasses(cluster, node, apiPort, port, javaOptions);
        ChildProcess process = ChildProcess.start("agent-" + node.name(), cluster.directory(), command);
        return new MeasuredAgent(node.name(), process, port, root.isPresent());
    }

    private static List<String> ofClasses(SimCluster cluster, SimNode node, int apiPort, int port, String javaOptions)
            throws IOException {
        Path kubeconfig = cluster.directory().resolve("agent-%s.kubeconfig".formatted(node.name()));
        int direct = cluster.apiServer().url().getPort();
        Files.writeString(kubeconfig, Files.readString(cluster.kubeconfig()).replace(":" + direct, ":" + apiPort));
        List<String> command = new ArrayList<>(List.of(
                "env",
                "-u",
                "LOG_LEVEL",
                "MALLOC_ARENA_MAX=1",
                "JAVA_TOOL_OPTIONS=" + javaOptions,
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(JAVA_FLAGS);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                AgentMain.class.getName(),
                "run",
                "--node-name=" + node.name(),
                "--kubeconfig=" + kubeconfig,
                "--podresources-socket=" + node.podResourcesSocket(),
                "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                "--kubelet-insecure-tls",
                "--listen=127.0.0.1:" + port));
        return command;
    }

    private static List<String> contained(
            SimCluster cluster, SimNode node, int apiPort, Path root, int port, String javaOptions) throws IOException {
        Path account = Files.createDirectories(cluster.directory().resolve("account"));
        Files.write(
                account.resolve("ca.crt"),
                Files.readAllBytes(cluster.apiServer().servingCertificate()));
        Files.writeString(account.resolve("token"), cluster.apiServer().token());
        return new ContainedProgram(root)
                .mount(account, ContainedProgram.ACCOUNT)
                .mount(requireNonNull(node.podResourcesSocket().getParent()), ContainedProgram.POD_RESOURCES)
                .mount(node.hardwareRoot().resolve("sys"), ContainedProgram.SYS)
                .environment(
                        "KUBERNETES_SERVICE_HOST", cluster.apiServer().url().getHost())
                .environment("KUBERNETES_SERVICE_PORT", Integer.toString(apiPort))
                .environment("NODE_NAME", node.name())
                .environment("JAVA_TOOL_OPTIONS", javaOptions)
                .process(List.of(
                        "@/agent.args",
                        "run",
                        "--podresources-socket=%s/%s"
                                .formatted(
                                        ContainedProgram.POD_RESOURCES,
                                        node.podResourcesSocket().getFileName()),
                        "--sysfs-root=" + ContainedProgram.SYS,
                        "--kubelet-insecure-tls",
                        "--listen=127.0.0.1:" + port))
                .command();
    }

    /**
     * Makes sure that the agent runs.
     *
     * @throws IllegalStateException with the end of its log, if it has ended
     */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException(
                    "the agent has ended: node=%s; read the end of its log:%n%s".formatted(node, process.lastLines()));
        }
    }

    public ProcessFigures figures() {
        return new ProcessFigures(process.pid());
    }

    /** The heap after a full collection. Empty for a contained agent: its root is read-only, so {@code jcmd} cannot reach it. */
    public OptionalLong liveHeapKiB() {
        return contained
                ? OptionalLong.empty()
                : figures()
                        .jcmd("GC.class_histogram")
                        .lines()
                        .filter(line -> line.startsWith("Total"))
                        .mapToLong(line -> Long.parseLong(line.strip().split(" +")[2]) / 1024)
                        .findFirst();
    }

    /** The sum of the agent's metrics with this name and all of these labels. */
    public long metric(String name, String... labels) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(port)))
                .build();
        try {
            return http.send(request, BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith(name))
                    .filter(line -> Stream.of(labels).allMatch(line::contains))
                    .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "the agent does not serve its metrics: port=%d; see its log".formatted(port), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while reading metrics", e);
        }
    }

    /** Stops the agent as the kubelet does, and returns how long that took, in milliseconds. */
    public long stop() {
        long begin = System.nanoTime();
        process.close();
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }

    @Override
    public void close() {
        process.close();
    }
}
