package io.numaledger.agent.config;

import io.numaledger.agent.gpu.GpuSurvey;
import io.numaledger.agent.nvml.NvmlProbe;
import io.numaledger.cli.GoDuration;
import io.numaledger.nrt.gpu.GpuTopologyPublisher;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What is published about GPUs, and how often to look at them. */
public final class GpuPublicationOptions {

    private static final Duration WHILE_INCOMPLETE = Duration.ofSeconds(30);

    @Option(
            names = "--gpu-topology",
            arity = "0..1",
            fallbackValue = "true",
            description =
                    "write the GPUs and what links them on this node's Node object, as numaledger.io/gpu-topology; "
                            + "nothing happens on nodes without an NVIDIA device (default: true)")
    private boolean topology = true;

    @Option(
            names = "--nvlink-matrix",
            arity = "0..1",
            fallbackValue = "true",
            description = "also write numaledger.io/nvlink-matrix, rows of 0 and 1 (default: false)")
    private boolean matrix;

    @Option(
            names = "--gpu-states",
            arity = "0..1",
            fallbackValue = "true",
            description = "also write numaledger.io/gpu-states, a word per GPU (default: false)")
    private boolean states;

    @Option(
            names = "--gpu-states-interval",
            converter = GoDuration.class,
            description = "how often to look at the states and write them, at most (default: 30s)")
    private Duration statesInterval = Duration.ofSeconds(30);

    @Option(
            names = "--gpu-interval",
            converter = GoDuration.class,
            description = "how often to look at the GPUs; while one cannot be read, every 30s (default: 10m)")
    private Duration interval = Duration.ofMinutes(10);

    @Option(
            names = "--nvml-library",
            paramLabel = "FILE",
            description =
                    "NVIDIA's management library (default: libnvidia-ml.so.1 where loader or driver container have it)")
    private String nvmlLibrary = "";

    @Option(
            names = "--nvml-timeout",
            converter = GoDuration.class,
            description = "how long the driver may take for one look (default: 60s)")
    private Duration nvmlTimeout = Duration.ofSeconds(60);

    @Option(names = "--dev-root", paramLabel = "DIR", description = "where device files are (default: /dev)")
    private Path devRoot = Path.of("/dev");

    /** Whether anything is published about GPUs. */
    public boolean enabled() {
        return topology;
    }

    public boolean states() {
        return states;
    }

    public GpuTopologyPublisher.Extras extras() {
        return new GpuTopologyPublisher.Extras(matrix, states, statesInterval);
    }

    /** How long until the next look, after one that could or could not read every GPU. */
    public Duration lookAgain(boolean complete) {
        return complete || interval.compareTo(WHILE_INCOMPLETE) < 0 ? interval : WHILE_INCOMPLETE;
    }

    /** How long until there is something to do: a look, or states to tell. */
    public Duration pause(boolean complete) {
        Duration look = lookAgain(complete);
        return states && statesInterval.compareTo(look) < 0 ? statesInterval : look;
    }

    public GpuSurvey survey(Path sysfsRoot) {
        return new GpuSurvey(
                sysfsRoot,
                devRoot,
                new NvmlProbe(Optional.of(nvmlLibrary).filter(path -> !path.isEmpty()), nvmlTimeout));
    }
}
