package io.numaledger.simulator.cluster;

import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A cluster in a Java process of its own, which goes on after the command that started it and ends, cluster and all, when it is
 * asked to terminate.
 */
public final class BackgroundCluster {

    private static final Duration READY_LIMIT = Duration.ofMinutes(3);
    private static final int POLL_MS = 100;
    private static final int LOG_LINES_SHOWN = 20;

    private BackgroundCluster() {}

    /** What the process is started with: the cluster's directory, the binaries' directory, the node YAML. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = Path.of(arguments[0]);
        CountDownLatch forever = new CountDownLatch(1);
        SimCluster cluster = SimCluster.builder(new KubeBinaries(Path.of(arguments[1])))
                .directory(directory)
                .nodes(NodeSpecYaml.read(Path.of(arguments[2])))
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(cluster::close, "end of the cluster"));
        Files.createFile(ClusterDirectory.ready(directory));
        forever.await();
    }

    /**
     * Starts the process, and returns when all nodes are Ready.
     *
     * @throws SimClusterException with the end of the process's log, when it ends instead
     */
    static void start(Path directory, KubeBinaries binaries, Path nodesYaml) throws IOException {
        ClusterDirectory.prepare(directory);
        Path log = ClusterDirectory.log(directory);
        Process process = new ProcessBuilder(List.of(
                        "setsid",
                        ProcessHandle.current().info().command().orElse("java"),
                        "-Xmx256m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BackgroundCluster.class.getName(),
                        directory.toString(),
                        binaries.directory().toString(),
                        nodesYaml.toAbsolutePath().toString()))
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        awaitReady(process, directory);
    }

    private static void awaitReady(Process process, Path directory) throws IOException {
        long deadline = System.nanoTime() + READY_LIMIT.toNanos();
        while (!Files.exists(ClusterDirectory.ready(directory))) {
            if (endsSoon(process) || System.nanoTime() > deadline) {
                String said = lastLines(ClusterDirectory.log(directory));
                process.destroy();
                throw new SimClusterException(
                        "the cluster did not come up: dir=%s; read the end of its log:%n%s".formatted(directory, said));
            }
        }
    }

    private static boolean endsSoon(Process process) {
        try {
            return process.waitFor(POLL_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }

    /** The log goes with the directory when the process ends, so it may be gone. */
    private static String lastLines(Path log) throws IOException {
        if (!Files.exists(log)) {
            return "(the log is gone)";
        }
        List<String> lines = Files.readAllLines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    }

    /** Ends the process that owns the directory, and waits until all is gone; false when there was none. */
    static boolean stop(Path directory) {
        boolean ran = ClusterDirectory.owner(directory)
                .flatMap(ProcessHandle::of)
                .map(owner -> {
                    owner.destroy();
                    owner.onExit()
                            .orTimeout(READY_LIMIT.toSeconds(), TimeUnit.SECONDS)
                            .join();
                    return true;
                })
                .orElse(false);
        if (ClusterDirectory.isOne(directory)) {
            ClusterDirectory.remove(directory);
            return true;
        }
        return ran;
    }
}
