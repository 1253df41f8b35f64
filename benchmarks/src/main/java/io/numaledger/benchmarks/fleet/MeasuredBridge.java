package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.process.ProcessFigures;
import io.numaledger.images.rootfs.ContainedProgram;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static java.util.Objects.requireNonNull;

/** A bridge as a process of its own, whose cost can be read. */
final class MeasuredBridge implements AutoCloseable {

    private static final Pattern USED = Pattern.compile(".*(?:generation|heap|Gen) .* used (\\d+)K.*");

    /** One client for all requests: the server keeps 200 idle connections and closes those beyond. */
    private final HttpClient http = HttpClient.newHttpClient();

    private final Process process;
    private final String url;
    private final boolean contained;
    private final ProcessFigures figures;

    private MeasuredBridge(Process process, String url, boolean contained) {
        this.process = process;
        this.url = url;
        this.contained = contained;
        this.figures = new ProcessFigures(process.pid());
    }

    static MeasuredBridge start(List<String> javaFlags, Path kubeconfig, int port, Path log) throws IOException {
        return start(javaFlags, kubeconfig, port, log, List.of());
    }

    /** @param flags further flags of {@code bridge run} */
    static MeasuredBridge start(List<String> javaFlags, Path kubeconfig, int port, Path log, List<String> flags)
            throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(javaFlags);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                "io.numaledger.bridge.BridgeMain",
                "run",
                "--insecure-http",
                "--kubeconfig=" + kubeconfig,
                "--listen=127.0.0.1:" + port));
        command.addAll(flags);
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().remove("LOG_LEVEL");
        return new MeasuredBridge(builder.start(), "http://127.0.0.1:" + port, false);
    }

    /** @param root a root file system that {@code ./numaledger rootfs} made, with the flags in its {@code bridge.args} */
    static MeasuredBridge startContained(Path root, Path kubeconfig, int port, Path log) throws IOException {
        ProcessBuilder builder = new ContainedProgram(root)
                .mount(requireNonNull(kubeconfig.getParent()), ContainedProgram.ACCOUNT)
                .environment("KUBECONFIG", ContainedProgram.ACCOUNT + "/" + kubeconfig.getFileName())
                .process(List.of("@/bridge.args", "run", "--insecure-http", "--listen=127.0.0.1:" + port))
                .redirectOutput(log.toFile());
        return new MeasuredBridge(builder.start(), "http://127.0.0.1:" + port, true);
    }

    String url() {
        return url;
    }

    void awaitReady() throws InterruptedException {
        while (process.isAlive() && !isReady()) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        if (!process.isAlive()) {
            throw new IllegalStateException("the bridge ended: rc=%d; see bridge.log".formatted(process.exitValue()));
        }
    }

    private boolean isReady() throws InterruptedException {
        try {
            return http.send(request("/readyz"), BodyHandlers.discarding()).statusCode() == 200;
        } catch (IOException notYet) {
            return false;
        }
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).build();
    }

    /** The lines at {@code /metrics} that begin with this name. */
    List<String> metrics(String name) throws IOException, InterruptedException {
        return http.send(request("/metrics"), BodyHandlers.ofString())
                .body()
                .lines()
                .filter(line -> line.startsWith(name))
                .toList();
    }

    long millisSinceStart() {
        return System.currentTimeMillis()
                - process.info().startInstant().orElseThrow().toEpochMilli();
    }

    long cpuMillis() {
        return figures.cpuMillis();
    }

    long residentMiB() {
        return figures.residentKiB() / 1024;
    }

    /** The reachable heap, read right after a full collection. Empty for a contained bridge, which {@code jcmd} cannot reach. */
    OptionalLong liveHeapMiB() {
        if (contained) {
            return OptionalLong.empty();
        }
        figures.jcmd("GC.run");
        return OptionalLong.of(figures.jcmd("GC.heap_info")
                        .lines()
                        .map(USED::matcher)
                        .filter(Matcher::matches)
                        .mapToLong(used -> Long.parseLong(used.group(1)))
                        .sum()
                / 1024);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
