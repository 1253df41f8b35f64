package io.numaledger.apiservers.real;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A process that ends with this JVM, even when the JVM is killed. A shell beside the process reads a pipe whose only
 * writer is this JVM, and kills the process when the pipe ends. The output of the process goes to one log file.
 */
public final class ChildProcess implements AutoCloseable {

    private static final String END_WITH_PARENT =
            "exec 3<&0; { cat <&3 >/dev/null; kill -9 $$ 2>/dev/null; } & exec \"$@\" 3<&- </dev/null";

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
    private static final int LOG_LINES_SHOWN = 15;

    private final String name;
    private final Process process;
    private final Path log;

    private ChildProcess(String name, Process process, Path log) {
        this.name = name;
        this.process = process;
        this.log = log;
    }

    /**
     * Starts the command in a working directory. The log there is {@code NAME.log}.
     *
     * @throws RealApiServerException if the command cannot be started
     */
    public static ChildProcess start(String name, Path workDir, List<String> command) {
        return startInto(name, workDir, workDir.resolve(name + ".log"), command);
    }

    /** The same with another file for its output. */
    static ChildProcess startInto(String name, Path workDir, Path log, List<String> command) {
        try {
            Process process = new ProcessBuilder(endingWithParent(name, command))
                    .directory(workDir.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new ChildProcess(name, process, log);
        } catch (IOException e) {
            throw new RealApiServerException(
                    "cannot start a process: command=%s; check that the file exists and is executable"
                            .formatted(command.get(0)),
                    e);
        }
    }

    /** The command for a process that ends when its standard input does. It keeps the process id of the shell. */
    public static List<String> endingWithParent(String name, List<String> command) {
        List<String> whole = new ArrayList<>(List.of("/bin/sh", "-c", END_WITH_PARENT, name));
        whole.addAll(command);
        return whole;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Waits until the process ends, for at most the given time. Returns whether it has ended. */
    public boolean endsWithin(Duration time) {
        try {
            return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RealApiServerException(
                    "interrupted while waiting for a process: name=%s; start again".formatted(name), e);
        }
    }

    /** The file with its output. */
    public Path log() {
        return log;
    }

    /** The last line of the log; empty while there is none. */
    public String lastLine() {
        return lastLines().lines().reduce("", (before, line) -> line);
    }

    /** The last lines of the log, or the reason why the log cannot be read. */
    public String lastLines() {
        try (var lines = Files.lines(log)) {
            List<String> all = lines.toList();
            return all.stream()
                    .skip(Math.max(0, all.size() - LOG_LINES_SHOWN))
                    .map("%.400s"::formatted)
                    .collect(Collectors.joining(System.lineSeparator()));
        } catch (IOException e) {
            return "cannot read the log: file=%s cause=%s".formatted(log, e);
        }
    }

    /** Kills the process, for one whose files nobody reads again. */
    public void kill() {
        process.destroyForcibly();
        endsWithin(STOP_TIMEOUT);
    }

    /** Terminates the process, and kills it after ten seconds. */
    @Override
    public void close() {
        process.destroy();
        if (!endsWithin(STOP_TIMEOUT)) {
            process.destroyForcibly();
        }
    }
}
