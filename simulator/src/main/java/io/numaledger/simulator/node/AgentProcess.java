package io.numaledger.simulator.node;

import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.KubeletSpec;
import io.numaledger.simulator.hardware.NodeSpec;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The agent of one node, as a process. It ends with this JVM. */
public final class AgentProcess {

    /** Those of the image that matter here. */
    public static final List<String> JAVA_FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xss256k",
            "-Xmx64m",
            "-Dio.netty.allocator.type=unpooled",
            "-Dio.netty.noPreferDirect=true");

    private AgentProcess() {}

    /**
     * Starts the agent of a simulated node.
     *
     * @param directory of the node: gets its sysfs tree, holds its socket, gets the agent's log
     */
    static ChildProcess start(NodeSpec spec, Path directory, Path kubeconfig) throws IOException {
        Path hardware = directory.resolve("hardware");
        HardwareTree.write(spec, hardware);
        KubeletSpec kubelet = spec.kubelet();
        return start(
                directory,
                List.of(
                        "--node-name=" + spec.name(),
                        "--podresources-socket=" + socket(directory),
                        "--sysfs-root=" + hardware.resolve("sys"),
                        "--kubeconfig=" + kubeconfig,
                        "--topology-manager-policy=" + kubelet.topologyManager().policy(),
                        "--topology-manager-scope=" + kubelet.topologyManager().scope(),
                        "--cpu-manager-policy=" + kubelet.cpuManager().policy(),
                        "--memory-manager-policy=" + kubelet.memoryManager().policy()));
    }

    /**
     * Starts {@code agent run}.
     *
     * @param directory gets {@code agent.log}
     */
    public static ChildProcess start(Path directory, List<String> flags) {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "MALLOC_ARENA_MAX=1",
                "LOG_LEVEL=info",
                Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(JAVA_FLAGS);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.numaledger.agent.AgentMain", "run"));
        command.addAll(flags);
        return ChildProcess.start("agent", directory, command);
    }

    /** Where the kubelet of a node listens whose directory is this. */
    public static Path socket(Path directory) {
        return directory.resolve("kubelet.sock");
    }
}
