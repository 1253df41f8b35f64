package io.numaledger.benchmarks.process;

import io.numaledger.bridge.BridgeMain;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.images.rootfs.ChartBridge;
import io.numaledger.images.rootfs.ContainedProgram;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

import static java.util.Objects.requireNonNull;

/** A bridge as a process of its own, as the chart runs it. */
public record MeasuredBridge(MeasuredProcess process, ChartBridge chart) implements AutoCloseable {

    /**
     * Starts it. The log and the certificates are beside the kubeconfig.
     *
     * @param root a root file system that {@code ./numaledger rootfs} made; empty: this build's classes and this Java
     * @param flags of {@code bridge run}, beside those of the chart
     */
    public static MeasuredBridge start(Optional<Path> root, Path kubeconfig, List<String> flags) throws IOException {
        Path directory = requireNonNull(kubeconfig.getParent());
        String at = root.isPresent() ? ContainedProgram.ACCOUNT : directory.toString();
        ChartBridge chart = ChartBridge.local(directory, at);
        List<String> arguments = new ArrayList<>(chart.arguments());
        arguments.add("--kubeconfig=%s/%s".formatted(at, kubeconfig.getFileName()));
        arguments.addAll(flags);
        int port = chart.metricsPort();
        return new MeasuredBridge(
                root.isPresent()
                        ? MeasuredProcess.contained(
                                "bridge",
                                directory,
                                new ContainedProgram(root.get())
                                        .mount(directory, at)
                                        .environment("JAVA_TOOL_OPTIONS", ChartBridge.MEMORY_LIMIT),
                                "@/bridge.args",
                                arguments,
                                port)
                        : MeasuredProcess.ofClasses(
                                "bridge", directory, ChartBridge.javaFlags(), BridgeMain.class, arguments, port),
                chart);
    }

    /** Its heap, if known, and its resident memory, as a part of a line. */
    public String memory() {
        OptionalLong heap = process.liveHeapKiB();
        return (heap.isPresent() ? "heap_mb=%d ".formatted(heap.getAsLong() / 1024) : "")
                + "rss_mb=%d".formatted(process.figures().residentKiB() / 1024);
    }

    public long cpuMillis() {
        return process.figures().cpuMillis();
    }

    /** Where schedulers call it. */
    public String url() {
        return chart.url();
    }

    /** The configuration of a scheduler that calls it. */
    public String schedulerConfiguration(Path kubeconfig) {
        return SchedulerConfig.text(
                chart.url(), "default-scheduler", Optional.of(kubeconfig), Optional.of(chart.files()), false);
    }

    /** For calls as a scheduler. */
    public SSLContext client() throws IOException {
        return chart.client();
    }

    @Override
    public void close() {
        process.close();
    }
}
