package io.numaledger.simulator.cluster;

import io.numaledger.wait.NotInTimeException;
import io.numaledger.wait.Wait;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A cluster in a Java process of its own, which goes on after the command that started it. */
public final class BackgroundCluster {

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int POLL_MS = 100;
    private static final int LOG_LINES_SHOWN = 20;

    private BackgroundCluster() {}

    /**
     * Starts the process, and returns when the cluster is {@link ClusterDirectory#ready ready}.
     *
     * @param main a class that starts a cluster in the directory; its first argument is the directory
     * @throws SimClusterException with the end of the process's log, when it ends instead
     */
    public static void start(Class<?> main, Path directory, List<String> arguments) throws IOException {
        ClusterDirectory.prepare(directory);
        Path log = ClusterDirectory.log(directory);
        List<String> command = new ArrayList<>(List.of(
                "setsid",
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName(),
                directory.toString()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        awaitReady(process, directory);
    }

    private static void awaitReady(Process process, Path directory) {
        try {
            Wait.until("the cluster is up")
                    .log(ClusterDirectory.log(directory))
                    .limit(LIMIT)
                    .pollInterval(Duration.ZERO)
                    .holds(() -> {
                        boolean ready = Files.exists(ClusterDirectory.ready(directory));
                        if (!ready && process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
                            throw new SimClusterException(
                                    "the cluster did not come up: dir=%s; read the end of its log:%n%s"
                                            .formatted(directory, lastLines(ClusterDirectory.log(directory))));
                        }
                        return ready;
                    });
        } catch (NotInTimeException e) {
            process.destroy();
            throw e;
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
                    Wait.until("the cluster's process has ended: pid=" + owner.pid())
                            .log(ClusterDirectory.log(directory))
                            .holds(() -> !owner.isAlive());
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
