package io.numaledger.simulator.footprint;

import io.numaledger.simulator.rootfs.ContainedAgent;

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
import java.util.concurrent.TimeUnit;

/** An agent as a process of its own, with the flags of the chart, whose cost can be read. */
public final class MeasuredAgent implements AutoCloseable {

    /** The chart's. */
    public static final List<String> JAVA_FLAGS = List.of(
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

    private final Process process;
    private final int port;

    private MeasuredAgent(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** This build's classes, by an ordinary Java. */
    static MeasuredAgent ofClasses(List<String> flags, int port, Path log) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JAVA_FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.numaledger.agent.AgentMain", "run"));
        command.addAll(flags);
        command.add("--listen=127.0.0.1:" + port);
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("MALLOC_ARENA_MAX", "1");
        return new MeasuredAgent(builder.redirectOutput(log.toFile()).start(), port);
    }

    /** A root file system, as in its pod. */
    static MeasuredAgent contained(ContainedAgent agent, List<String> flags, int port, Path log) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("@/agent.args", "run"));
        arguments.addAll(flags);
        arguments.add("--listen=127.0.0.1:" + port);
        return new MeasuredAgent(
                agent.process(arguments).redirectOutput(log.toFile()).start(), port);
    }

    /** MiB. */
    long residentMiB() {
        try {
            return Files.readAllLines(Path.of("/proc/%d/status".formatted(process.pid()))).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException("the agent has ended; see its log", e);
        }
    }

    /** CPU time of all its threads so far, those that have ended included; in steps of 10 ms. */
    long cpuNanos() {
        try {
            String stat = Files.readString(Path.of("/proc/%d/stat".formatted(process.pid())));
            // Behind the name, which may hold anything: state is field 3, utime 14, stime 15, in ticks of 10 ms.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) * 10_000_000;
        } catch (IOException e) {
            throw new UncheckedIOException("the agent has ended; see its log", e);
        }
    }

    /** The value of one metric, by its whole name with labels. */
    long metric(String name) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(port)))
                .build();
        try {
            return HttpClient.newHttpClient()
                    .send(request, BodyHandlers.ofLines())
                    .body()
                    .filter(line -> line.startsWith(name + " "))
                    .mapToLong(line -> Math.round(Double.parseDouble(line.substring(name.length() + 1))))
                    .findFirst()
                    .orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException("the agent does not serve its metrics; see its log", e);
        }
    }

    /** Ends it as the kubelet does; returns how long it took, in ms. */
    long stop() throws InterruptedException {
        long begin = System.nanoTime();
        process.destroy();
        process.waitFor(5, TimeUnit.SECONDS);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
