package io.numaledger.benchmarks.fleet;

import io.numaledger.benchmarks.process.ProcessFigures;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.realapiserver.ChildProcess;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** A kube-scheduler with the shipped configuration, with or without the bridge, as a process whose cost can be read. */
final class MeasuredScheduler implements AutoCloseable {

    private final ChildProcess process;
    private final ProcessFigures figures;

    private MeasuredScheduler(ChildProcess process) {
        this.process = process;
        this.figures = new ProcessFigures(process.pid());
    }

    /**
     * Starts kube-scheduler.
     *
     * @param bridge absent: it schedules alone
     */
    static MeasuredScheduler start(Path binary, Path directory, Path kubeconfig, Optional<String> bridge)
            throws IOException {
        String text = SchedulerConfig.text(
                bridge.orElse("http://unused"), "default-scheduler", Optional.of(kubeconfig), Optional.empty(), false);
        if (bridge.isEmpty()) {
            text = text.substring(0, text.indexOf("extenders:"));
        }
        // Otherwise it writes objects that the fleet's API cannot read.
        text = text.replace("clientConnection:\n", "clientConnection:\n  contentType: application/json\n");
        Path config = Files.writeString(directory.resolve("scheduler.yaml"), text);
        return new MeasuredScheduler(ChildProcess.start(
                "kube-scheduler", directory, List.of(binary.toString(), "--config=" + config, "--secure-port=0")));
    }

    long cpuMillis() {
        return figures.cpuMillis();
    }

    /** @throws IllegalStateException with its last lines, if it has ended */
    void requireAlive() {
        if (!process.isAlive()) {
            throw new IllegalStateException("kube-scheduler ended: " + process.lastLines());
        }
    }

    @Override
    public void close() {
        process.close();
    }
}
