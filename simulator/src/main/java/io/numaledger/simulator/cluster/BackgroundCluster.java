package io.numaledger.simulator.cluster;

import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.cli.Progress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A cluster in a Java process of its own, which goes on after the command that started it. */
public final class BackgroundCluster {

    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final int POLL_MS = 100;
    private static final int LOG_LINES_SHOWN = 20;

    /** Begins a line of the process's log that names the step that begins. */
    private static final String STEP = "step: ";

    private BackgroundCluster() {}

    /**
     * Starts the process, and returns when the cluster is {@link ClusterDirectory#ready ready}.
     *
     * @param main a class that starts a cluster in the directory; its first argument is the directory
     * @throws SimClusterException with the end of the process's log, when it ends instead
     */
    public static void start(Class<?> main, Path directory, List<String> arguments, Progress progress)
            throws IOException {
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
        awaitReady(process, directory, progress);
    }

    /** Says in the process's log which step begins. */
    public static void step(String name) {
        System.out.println(STEP + name);
    }

    private static void awaitReady(Process process, Path directory, Progress progress) {
        Path log = ClusterDirectory.log(directory);
        try {
            Wait.until("the cluster is up")
                    .log(log)
                    .limit(LIMIT)
                    .seeing(() -> latestStep(log).orElse(""))
                    .pollInterval(Duration.ZERO)
                    .holds(() -> {
                        latestStep(log).ifPresent(progress::step);
                        boolean ready = Files.exists(ClusterDirectory.ready(directory));
                        if (!ready && process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
                            throw new SimClusterException(
                                    "the cluster did not come up: log=%s; its files stay until the next sim up or sim down; read the end of its log:%n%s"
                                            .formatted(log, lastLines(log)));
                        }
                        return ready;
                    });
        } catch (NotInTimeException e) {
            process.destroy();
            throw e;
        }
    }

    private static Optional<String> latestStep(Path log) {
        return lines(log).stream()
                .filter(line -> line.startsWith(STEP))
                .reduce((before, line) -> line)
                .map(line -> line.substring(STEP.length()));
    }

    private static String lastLines(Path log) {
        List<String> lines = lines(log);
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES_SHOWN), lines.size()));
    }

    /** Empty when the log is gone: at the end of a cluster. */
    private static List<String> lines(Path log) {
        try {
            return Files.readAllLines(log);
        } catch (IOException gone) {
            return List.of();
        }
    }

    /** Ends the process that owns the directory, and waits until all is gone; false when there was none. */
    static boolean stop(Path directory, Progress progress) {
        boolean ran = ClusterDirectory.owner(directory)
                .flatMap(ProcessHandle::of)
                .map(owner -> {
                    owner.destroy();
                    Wait.until("the cluster's process has ended: pid=" + owner.pid())
                            .log(ClusterDirectory.log(directory))
                            .holds(() -> {
                                progress.step("stop the cluster");
                                return !owner.isAlive();
                            });
                    return true;
                })
                .orElse(false);
        if (ClusterDirectory.isOne(directory)) {
            progress.step("delete files");
            ClusterDirectory.remove(directory);
            return true;
        }
        return ran;
    }
}
