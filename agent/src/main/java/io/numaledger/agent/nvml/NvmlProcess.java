package io.numaledger.agent.nvml;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One run of {@link NvmlMain} in a process of its own: with the Java and the jars of this process, a small heap, and no file of this
 * process open but three pipes. The class archive would cost more memory than it saves time.
 */
final class NvmlProcess implements AutoCloseable {

    /** Most bytes that are read: some 50 for each link and 15 for each pair of 128 GPUs, and their warnings. */
    private static final long MAX_BYTES = 2L << 20;

    private static final Duration POLL = Duration.ofMillis(20);
    private static final Duration TIME_TO_END = Duration.ofSeconds(5);

    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-XX:-UsePerfData",
            "-Xms2m",
            "-Xmx24m",
            "-Xss256k",
            "-XX:MaxMetaspaceSize=48m",
            "-XX:ReservedCodeCacheSize=16m",
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=/dev/null");

    /** Where JNA finds its own library in the image. */
    private static final List<String> JNA = List.of("jna.boot.library.path", "jna.nounpack");

    /** Would start a debugger at the port of this process, for example. */
    private static final List<String> NOT_INHERITED = List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    private final Process process;
    private final LastLines last = new LastLines();
    private final NvmlReportReader reader = new NvmlReportReader();
    private final List<PipeLines> pipes;

    private NvmlProcess(Process process) {
        this.process = process;
        this.pipes = List.of(
                new PipeLines(process.getInputStream(), MAX_BYTES, this::output),
                new PipeLines(process.getErrorStream(), MAX_BYTES, last::add));
    }

    /** @throws NvmlException when no process can be started */
    static NvmlProcess start(Optional<String> libraryPath) {
        ProcessBuilder builder = new ProcessBuilder(command(libraryPath));
        builder.environment().keySet().removeAll(NOT_INHERITED);
        try {
            return new NvmlProcess(builder.start());
        } catch (IOException e) {
            throw new NvmlException(
                    "cannot start a process for NVML: command=%s: %s; check the container's limit on processes"
                            .formatted(builder.command().get(0), e.getMessage()),
                    e);
        }
    }

    private static List<String> command(Optional<String> libraryPath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(FLAGS);
        JNA.stream()
                .filter(name -> System.getProperty(name) != null)
                .forEach(name -> command.add("-D%s=%s".formatted(name, System.getProperty(name))));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), NvmlMain.class.getName()));
        libraryPath.ifPresent(command::add);
        return command;
    }

    private void output(String line) {
        if (!reader.read(line)) {
            last.add(line);
        }
    }

    /**
     * Waits for the report.
     *
     * @throws NvmlException when there is none in time, or the process says why there is none
     */
    NvmlReport await(Duration limit) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (true) {
            boolean ended = !process.isAlive();
            for (PipeLines pipe : pipes) {
                if (!pipe.readAvailable()) {
                    throw new NvmlException(
                            "NVML wrote too much to standard output or error: limit=%d bytes%s; install another driver version"
                                    .formatted(MAX_BYTES, last.told()));
                }
            }
            if (reader.ended()) {
                return reader.report();
            } else if (ended) {
                throw new NvmlException(whyItEnded());
            } else if (System.nanoTime() - begin > limit.toNanos()) {
                throw new NvmlException(
                        "NVML gives no answer: limit=%d ms; run nvidia-smi, enable persistence mode, or raise the limit"
                                .formatted(limit.toMillis()));
            }
            process.waitFor(POLL.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private String whyItEnded() {
        int status = process.exitValue();
        String code = status > 128 ? "signal=" + (status - 128) : "exit=" + status;
        return last.crash()
                .map("NVML crashed: %s; compare with nvidia-smi, and install another driver version"::formatted)
                .orElseGet(() ->
                        "NVML ended without a report: %s%s; compare with nvidia-smi".formatted(code, last.told()));
    }

    /** Whether the process runs even now, as one in a call of the kernel may that no signal ends. */
    boolean isAlive() {
        return process.isAlive();
    }

    /** Ends the process: after a report, it has some seconds to shut NVML down. */
    @Override
    public void close() {
        try {
            if (!reader.ended() || !process.waitFor(TIME_TO_END.toMillis(), TimeUnit.MILLISECONDS)) {
                Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                        .forEach(ProcessHandle::destroyForcibly);
                process.waitFor(TIME_TO_END.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
