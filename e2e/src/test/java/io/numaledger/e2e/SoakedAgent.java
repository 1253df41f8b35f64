package io.numaledger.e2e;

import io.numaledger.agent.AgentMain;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.footprint.MeasuredAgent;
import io.numaledger.simulator.realapi.ChildProcess;
import io.numaledger.simulator.rootfs.ContainedAgent;
import io.numaledger.simulator.socket.FreePort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** An agent as a process of its own, with the chart's flags of Java, that reaches the API server by a proxy; it can be looked at. */
final class SoakedAgent implements AutoCloseable {

    private final ChildProcess process;
    private final int port;
    private final boolean contained;
    private final HttpClient http = HttpClient.newHttpClient();

    private SoakedAgent(ChildProcess process, int port, boolean contained) {
        this.process = process;
        this.port = port;
        this.contained = contained;
    }

    /** @param root as {@code ./numaledger rootfs} makes it; empty: this build's classes, by the Java of the tests */
    static SoakedAgent start(SimCluster cluster, SimNode node, FaultyProxy proxy, Optional<Path> root)
            throws IOException {
        int port = FreePort.next();
        List<String> command = root.isPresent()
                ? contained(cluster, node, proxy, root.get(), port)
                : ofClasses(cluster, node, proxy, port);
        ChildProcess process = ChildProcess.start("agent-" + node.name(), cluster.directory(), command);
        return new SoakedAgent(process, port, root.isPresent());
    }

    private static List<String> ofClasses(SimCluster cluster, SimNode node, FaultyProxy proxy, int port)
            throws IOException {
        Path kubeconfig = cluster.directory().resolve("agent-%s.kubeconfig".formatted(node.name()));
        int direct = cluster.apiServer().url().getPort();
        Files.writeString(kubeconfig, Files.readString(cluster.kubeconfig()).replace(":" + direct, ":" + proxy.port()));
        List<String> command = new ArrayList<>(List.of("env", "MALLOC_ARENA_MAX=1", java("java")));
        command.addAll(MeasuredAgent.JAVA_FLAGS);
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

    private static String java(String program) {
        return Path.of(System.getProperty("java.home"), "bin", program).toString();
    }

    private static List<String> contained(SimCluster cluster, SimNode node, FaultyProxy proxy, Path root, int port)
            throws IOException {
        Path account = Files.createDirectories(cluster.directory().resolve("account"));
        Files.write(
                account.resolve("ca.crt"),
                Files.readAllBytes(cluster.apiServer().servingCertificate()));
        Files.writeString(account.resolve("token"), cluster.apiServer().token());
        String socket =
                ContainedAgent.POD_RESOURCES + "/" + node.podResourcesSocket().getFileName();
        return new ContainedAgent(root)
                .mount(account, ContainedAgent.ACCOUNT)
                .mount(node.podResourcesSocket().getParent(), ContainedAgent.POD_RESOURCES)
                .mount(node.hardwareRoot().resolve("sys"), ContainedAgent.SYS)
                .environment(
                        "KUBERNETES_SERVICE_HOST", cluster.apiServer().url().getHost())
                .environment("KUBERNETES_SERVICE_PORT", Integer.toString(proxy.port()))
                .environment("NODE_NAME", node.name())
                .process(List.of(
                        "@/agent.args",
                        "run",
                        "--podresources-socket=" + socket,
                        "--sysfs-root=" + ContainedAgent.SYS,
                        "--kubelet-insecure-tls",
                        "--listen=127.0.0.1:" + port))
                .command();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String lastLines() {
        return process.lastLines();
    }

    /** The sum of its metrics of that name that have all of the labels. */
    long sum(String name, String... labels) {
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
            throw new UncheckedIOException("the agent does not serve its metrics: port=%d".formatted(port), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    SoakReport.Sample sample() throws IOException {
        Path proc = Path.of("/proc/%d".formatted(process.pid()));
        long resident = Files.readAllLines(proc.resolve("status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElseThrow();
        return new SoakReport.Sample(
                resident, liveHeapKiB(), count(proc.resolve("task")), count(proc.resolve("fd")), cpuMillis(proc));
    }

    private static long count(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.count();
        }
    }

    /** Behind the name, which may hold anything: state is field 3, utime 14, stime 15, in ticks of 10 ms. */
    private static long cpuMillis(Path proc) throws IOException {
        String stat = Files.readString(proc.resolve("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10;
    }

    /** By a full collection, which a contained agent cannot be asked for: it has nowhere to listen. */
    private OptionalLong liveHeapKiB() throws IOException {
        if (contained) {
            return OptionalLong.empty();
        }
        Process jcmd = new ProcessBuilder(java("jcmd"), Long.toString(process.pid()), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String all = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return all.lines()
                .filter(line -> line.startsWith("Total"))
                .mapToLong(line -> Long.parseLong(line.strip().split(" +")[2]) / 1024)
                .findFirst();
    }

    @Override
    public void close() {
        process.close();
    }
}
