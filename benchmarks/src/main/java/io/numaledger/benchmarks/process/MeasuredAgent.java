package io.numaledger.benchmarks.process;

import io.numaledger.agent.AgentMain;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.images.rootfs.ContainedProgram;
import io.numaledger.images.rootfs.ImageFlags;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/** Starts an agent of one node as a process of its own, with the Java flags of the image. */
public final class MeasuredAgent {

    private MeasuredAgent() {}

    /**
     * Starts the agent.
     *
     * @param apiPort the port of 127.0.0.1 where it reaches the API server: the server's own, or that of a proxy
     * @param root a root file system that {@code ./numaledger rootfs} made; empty: this build's classes and this Java
     * @param javaFlags beside those of the image or of the root file system
     */
    public static MeasuredProcess start(
            SimCluster cluster, SimNode node, int apiPort, Optional<Path> root, List<String> javaFlags)
            throws IOException {
        int port = FreePort.next();
        return root.isPresent()
                ? contained(cluster, node, apiPort, root.get(), port, javaFlags)
                : ofClasses(cluster, node, apiPort, port, javaFlags);
    }

    private static MeasuredProcess ofClasses(
            SimCluster cluster, SimNode node, int apiPort, int port, List<String> javaFlags) throws IOException {
        Path kubeconfig = cluster.directory().resolve("agent-%s.kubeconfig".formatted(node.name()));
        int direct = cluster.apiServer().url().getPort();
        Files.writeString(kubeconfig, Files.readString(cluster.kubeconfig()).replace(":" + direct, ":" + apiPort));
        return MeasuredProcess.ofClasses(
                "agent-" + node.name(),
                cluster.directory(),
                Stream.concat(ImageFlags.agent().stream(), javaFlags.stream()).toList(),
                AgentMain.class,
                List.of(
                        "run",
                        "--node-name=" + node.name(),
                        "--kubeconfig=" + kubeconfig,
                        "--podresources-socket=" + node.podResourcesSocket(),
                        "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                        "--kubelet-insecure-tls",
                        "--listen=127.0.0.1:" + port),
                port);
    }

    private static MeasuredProcess contained(
            SimCluster cluster, SimNode node, int apiPort, Path root, int port, List<String> javaFlags)
            throws IOException {
        Path account = Files.createDirectories(cluster.directory().resolve("account"));
        Files.write(
                account.resolve("ca.crt"),
                Files.readAllBytes(cluster.apiServer().servingCertificate()));
        Files.writeString(account.resolve("token"), cluster.apiServer().token());
        ContainedProgram program = new ContainedProgram(root)
                .mount(account, ContainedProgram.ACCOUNT)
                .mount(requireNonNull(node.podResourcesSocket().getParent()), ContainedProgram.POD_RESOURCES)
                .mount(node.hardwareRoot().resolve("sys"), ContainedProgram.SYS)
                .environment(
                        "KUBERNETES_SERVICE_HOST", cluster.apiServer().url().getHost())
                .environment("KUBERNETES_SERVICE_PORT", Integer.toString(apiPort))
                .environment("NODE_NAME", node.name())
                .environment("JAVA_TOOL_OPTIONS", String.join(" ", javaFlags));
        return MeasuredProcess.contained(
                "agent-" + node.name(),
                cluster.directory(),
                program,
                "@/agent.args",
                List.of(
                        "run",
                        "--podresources-socket=%s/%s"
                                .formatted(
                                        ContainedProgram.POD_RESOURCES,
                                        node.podResourcesSocket().getFileName()),
                        "--sysfs-root=" + ContainedProgram.SYS,
                        "--kubelet-insecure-tls",
                        "--listen=127.0.0.1:" + port),
                port);
    }
}
