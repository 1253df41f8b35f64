package io.numaledger.agent.config;

import io.numaledger.agent.gpu.GpuSurvey;
import io.numaledger.agent.nvml.NvmlProbe;
import io.numaledger.cli.GoDuration;
import io.numaledger.nrt.gpu.GpuTopologyPublisher;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What is published about GPUs, and how often they are read. */
public final class GpuPublicationOptions {

    private static final Duration WHILE_INCOMPLETE = Duration.ofSeconds(30);

    @Option(
            names = "--gpu-topology",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description =
                    "write the GPUs and what links them on this node's Node object, as numaledger.io/gpu-topology, and the NUMA "
                            + "nodes of all PCI devices, as numaledger.io/pci-numa-nodes (default: true)")
    private boolean topology = true;

    @Option(
            names = "--nvlink-matrix",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "also write numaledger.io/nvlink-matrix, rows of 0 and 1 (default: false)")
    private boolean matrix;

    @Option(
            names = "--gpu-states",
            arity = "0..1",
            fallbackValue = "true",
            paramLabel = "true|false",
            description = "also write numaledger.io/gpu-states, a word per GPU (default: false)")
    private boolean states;

    @Option(
            names = "--gpu-states-interval",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description = "minimum interval between two publications of GPU states (default: 30s)")
    private Duration statesInterval = Duration.ofSeconds(30);

    @Option(
            names = "--gpu-interval",
            converter = GoDuration.class,
            paramLabel = "DURATION",
            description =
                    "how often GPUs are read; more often while one is unreadable or NVML is unavailable (default: 10m)")
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
            paramLabel = "DURATION",
            description = "time limit for reading all GPUs (default: 60s)")
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

    /** The time until GPUs are read again, depending on whether all were readable. */
    public Duration untilNextRead(boolean complete) {
        return complete || interval.compareTo(WHILE_INCOMPLETE) < 0 ? interval : WHILE_INCOMPLETE;
    }

    /** The limit on the time until GPUs are read again while NVML is unavailable. */
    public Duration interval() {
        return interval;
    }

    /** The time until GPUs are read or states are published. */
    public Duration pause(Duration untilNextRead) {
        return states && statesInterval.compareTo(untilNextRead) < 0 ? statesInterval : untilNextRead;
    }

    public GpuSurvey survey(Path sysfsRoot) {
        return new GpuSurvey(
                sysfsRoot,
                devRoot,
                new NvmlProbe(Optional.of(nvmlLibrary).filter(path -> !path.isEmpty()), nvmlTimeout));
    }
}
