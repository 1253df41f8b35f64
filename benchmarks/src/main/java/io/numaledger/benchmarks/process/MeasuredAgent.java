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
import java.util.ArrayList;
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
        String name = "agent-" + node.name();
        if (root.isPresent()) {
            ContainedProgram program = contained(cluster, node, apiPort, root.get())
                    .environment("JAVA_TOOL_OPTIONS", String.join(" ", javaFlags));
            String socket = ContainedProgram.POD_RESOURCES + "/"
                    + node.podResourcesSocket().getFileName();
            return MeasuredProcess.contained(
                    name,
                    cluster.directory(),
                    program,
                    "@/agent.args",
                    arguments(socket, ContainedProgram.SYS, port),
                    port);
        }
        Path kubeconfig = cluster.directory().resolve(name + ".kubeconfig");
        int direct = cluster.apiServer().url().getPort();
        Files.writeString(kubeconfig, Files.readString(cluster.kubeconfig()).replace(":" + direct, ":" + apiPort));
        List<String> arguments = new ArrayList<>(arguments(node.podResourcesSocket(), sys(node), port));
        arguments.addAll(List.of("--node-name=" + node.name(), "--kubeconfig=" + kubeconfig));
        return MeasuredProcess.ofClasses(
                name,
                cluster.directory(),
                Stream.concat(ImageFlags.agent().stream(), javaFlags.stream()).toList(),
                AgentMain.class,
                arguments,
                port);
    }

    private static Path sys(SimNode node) {
        return node.hardwareRoot().resolve("sys");
    }

    private static List<String> arguments(Object socket, Object sys, int port) {
        return List.of(
                "run",
                "--podresources-socket=" + socket,
                "--sysfs-root=" + sys,
                "--kubelet-insecure-tls",
                "--listen=127.0.0.1:" + port);
    }

    private static ContainedProgram contained(SimCluster cluster, SimNode node, int apiPort, Path root)
            throws IOException {
        Path account = Files.createDirectories(cluster.directory().resolve("account"));
        Files.write(
                account.resolve("ca.crt"),
                Files.readAllBytes(cluster.apiServer().servingCertificate()));
        Files.writeString(account.resolve("token"), cluster.apiServer().token());
        return new ContainedProgram(root)
                .mount(account, ContainedProgram.ACCOUNT)
                .mount(requireNonNull(node.podResourcesSocket().getParent()), ContainedProgram.POD_RESOURCES)
                .mount(sys(node), ContainedProgram.SYS)
                .environment(
                        "KUBERNETES_SERVICE_HOST", cluster.apiServer().url().getHost())
                .environment("KUBERNETES_SERVICE_PORT", Integer.toString(apiPort))
                .environment("NODE_NAME", node.name());
    }
}
