package io.numaledger.benchmarks.process;

import io.numaledger.apiservers.real.ChildProcess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A kube-scheduler as a process whose cost can be read. */
public final class MeasuredScheduler implements AutoCloseable {

    private final ChildProcess process;

    private MeasuredScheduler(ChildProcess process) {
        this.process = process;
    }

    /**
     * Starts kube-scheduler.
     *
     * @param binaries the directory of the program
     * @param directory gets its configuration and its log
     */
    public static MeasuredScheduler start(Path binaries, Path directory, String configuration) throws IOException {
        Path config = Files.writeString(directory.resolve("scheduler.yaml"), configuration);
        return new MeasuredScheduler(ChildProcess.start(
                "kube-scheduler",
                directory,
                List.of(binaries.resolve("kube-scheduler").toString(), "--config=" + config, "--secure-port=0")));
    }

    public long cpuMillis() {
        return new ProcessFigures(process.pid()).cpuMillis();
    }

    /** @throws IllegalStateException with its last lines, if it has ended */
    public void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException("kube-scheduler ended: " + process.lastLines());
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
