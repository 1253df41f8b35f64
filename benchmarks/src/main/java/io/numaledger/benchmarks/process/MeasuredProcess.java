package io.numaledger.benchmarks.process;

import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.images.rootfs.ContainedProgram;

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
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program of this project as a process of its own, whose cost and metrics can be read. */
public final class MeasuredProcess implements AutoCloseable {

    private final String name;
    private final ChildProcess process;
    private final OptionalInt metricsPort;
    private final boolean contained;
    private final long started = System.nanoTime();

    /** One client for all requests: servers close idle connections beyond a number. */
    private final HttpClient http = HttpClient.newHttpClient();

    private MeasuredProcess(
            String name, Path directory, List<String> command, OptionalInt metricsPort, boolean contained) {
        this.name = name;
        this.process = ChildProcess.start(name, directory, command);
        this.metricsPort = metricsPort;
        this.contained = contained;
    }

    /**
     * Starts this build's classes with this Java.
     *
     * @param name of its log in the directory, without {@code .log}
     * @param metricsPort where it serves probes and metrics
     */
    static MeasuredProcess ofClasses(
            String name,
            Path directory,
            List<String> javaFlags,
            Class<?> program,
            List<String> arguments,
            int metricsPort) {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "-u",
                "LOG_LEVEL",
                "MALLOC_ARENA_MAX=1",
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(javaFlags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        return new MeasuredProcess(name, directory, command, OptionalInt.of(metricsPort), false);
    }

    /**
     * The same with the program of a root file system that {@code ./numaledger rootfs} made, as in its pod.
     *
     * @param javaFlags the file with them
     */
    static MeasuredProcess contained(
            String name,
            Path directory,
            ContainedProgram program,
            String javaFlags,
            List<String> arguments,
            int metricsPort) {
        List<String> all = new ArrayList<>(List.of(javaFlags));
        all.addAll(arguments);
        return new MeasuredProcess(name, directory, program.process(all).command(), OptionalInt.of(metricsPort), true);
    }

    /**
     * Starts kube-scheduler, which serves no metrics.
     *
     * @param program any kube-scheduler
     * @param directory gets its configuration and its log
     */
    public static MeasuredProcess kubeScheduler(Path program, Path directory, String configuration) throws IOException {
        Path config = Files.writeString(directory.resolve("scheduler.yaml"), configuration);
        return new MeasuredProcess(
                "kube-scheduler",
                directory,
                List.of(program.toString(), "--config=" + config, "--secure-port=0"),
                OptionalInt.empty(),
                true);
    }

    /**
     * Makes sure that the program runs.
     *
     * @throws IllegalStateException with the end of its log, if it has ended
     */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException("a measured program has ended: name=%s; read the end of its log:%n%s"
                    .formatted(name, process.lastLines()));
        }
    }

    /** Returns when it says that it is ready. */
    public void awaitReady() throws InterruptedException {
        while (!isReady()) {
            requireAlive();
            TimeUnit.MILLISECONDS.sleep(20);
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
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(metricsPort.orElseThrow(), path)))
                .build();
    }

    /** The lines of the metrics with this name and all of these labels. */
    public List<String> metrics(String metric, String... labels) {
        try {
            return http.send(request("/metrics"), BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith(metric))
                    .filter(line -> Stream.of(labels).allMatch(line::contains))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "a measured program does not serve its metrics: name=%s port=%d; see its log"
                            .formatted(name, metricsPort.orElseThrow()),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while reading metrics", e);
        }
    }

    /** The sum of these metrics. */
    public long metric(String metric, String... labels) {
        return metrics(metric, labels).stream()
                .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    public ProcessFigures figures() {
        return new ProcessFigures(process.pid());
    }

    public long millisSinceStart() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started);
    }

    /** The heap after a full collection. Empty for a contained program: its root is read-only, so {@code jcmd} cannot reach it. */
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

    @Override
    public void close() {
        process.close();
    }
}
