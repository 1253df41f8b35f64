package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.NvmlProbe;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The flags about GPUs of {@code agent probe}. */
public final class GpuOptions {

    @Option(names = "--gpus", description = "print GPUs, NVLinks and RDMA NICs")
    private boolean gpus;

    @Option(
            names = "--from",
            paramLabel = "FILE",
            description = "with --gpus: a described system in the JSON that -o json writes, instead of this machine")
    private Path from;

    @Option(
            names = "--pick",
            paramLabel = "K",
            description = "with --gpus: the K free GPUs with the most NVLinks among each other")
    private Integer pick;

    @Option(
            names = "--free",
            paramLabel = "LIST",
            description = "with --pick: indexes of the free GPUs, such as 0,1,5 or 0-3 (default: all)")
    private String free;

    @Option(
            names = "--zones",
            paramLabel = "LIST",
            description = "with --pick: only GPUs near one of these NUMA nodes, such as 0,1 (default: all)")
    private String zones;

    @Option(
            names = "--nvml-library",
            paramLabel = "FILE",
            description = "NVIDIA's management library (default: libnvidia-ml.so.1 where the loader finds it, else in "
                    + "/run/nvidia/driver, /home/kubernetes/bin/nvidia and /usr/local/nvidia)")
    private String nvmlLibrary;

    @Option(
            names = "--nvml-timeout",
            paramLabel = "DURATION",
            defaultValue = "PT60S",
            description = "time limit for reading all GPUs (default: ${DEFAULT-VALUE})")
    private Duration nvmlTimeout = Duration.ofSeconds(60);

    @Option(
            names = "--dev-root",
            paramLabel = "DIR",
            defaultValue = "/dev",
            description =
                    "where device files are; nvidiactl in it means that there is a driver (default: ${DEFAULT-VALUE})")
    private Path devRoot = Path.of("/dev");

    /** Whether {@code --gpus} is set. */
    public boolean asked() {
        return gpus;
    }

    Optional<Path> from() {
        return Optional.ofNullable(from);
    }

    Optional<Integer> pick() {
        return Optional.ofNullable(pick);
    }

    Optional<String> free() {
        return Optional.ofNullable(free);
    }

    Optional<String> zones() {
        return Optional.ofNullable(zones);
    }

    /** The survey with these flags. */
    public GpuSurvey survey(Path sysfsRoot) {
        return new GpuSurvey(sysfsRoot, devRoot, new NvmlProbe(Optional.ofNullable(nvmlLibrary), nvmlTimeout));
    }
}
