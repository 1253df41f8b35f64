package io.numaledger.simulator.node;

import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.hardware.NodeSpec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An agent of its own for one simulated node: the product's own program, as a process with the flags of the DaemonSet. */
public final class AgentProcess implements AutoCloseable {

    private final Process process;

    private AgentProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param directory the node's own: gets its sysfs tree, holds its socket, gets the agent's log
     */
    public static AgentProcess start(NodeSpec spec, Path directory, Path kubeconfig) throws IOException {
        Path hardware = directory.resolve("hardware");
        HardwareTree.write(spec, hardware);
        KubeletSpec kubelet = spec.kubelet();
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xss256k",
                "-Xmx48m",
                "-Dio.netty.allocator.type=unpooled",
                "-Dio.netty.noPreferDirect=true",
                "-cp",
                System.getProperty("java.class.path"),
                "io.numaledger.agent.AgentMain",
                "run",
                "--node-name=" + spec.name(),
                "--podresources-socket=" + socket(directory),
                "--sysfs-root=" + hardware.resolve("sys"),
                "--kubeconfig=" + kubeconfig,
                "--topology-manager-policy=" + kubelet.topologyManagerPolicy(),
                "--topology-manager-scope=" + kubelet.topologyManagerScope(),
                "--cpu-manager-policy=" + kubelet.cpuManagerPolicy(),
                "--memory-manager-policy=" + kubelet.memoryManagerPolicy()));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("agent.log").toFile());
        builder.environment().put("MALLOC_ARENA_MAX", "1");
        builder.environment().put("LOG_LEVEL", "info");
        return new AgentProcess(builder.start());
    }

    /** Where the kubelet of a node listens whose directory is this. */
    public static Path socket(Path directory) {
        return directory.resolve("kubelet.sock");
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
