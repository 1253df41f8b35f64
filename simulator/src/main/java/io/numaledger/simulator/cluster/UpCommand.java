package io.numaledger.simulator.cluster;

import io.numaledger.simulator.hardware.NodeSpecException;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code sim up}: a real Kubernetes on simulated hardware, in the background. */
@Command(
        name = "up",
        description =
                "Starts a real Kubernetes on simulated hardware; returns when all nodes are Ready. It runs until sim down.",
        footer = "Needs root, and the Kubernetes binaries. Exit status: 0 up; 1 not up.",
        mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {

    private static final String DEFAULT_NODES = "default-nodes.yaml";

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(
            names = {"-f", "--nodes"},
            paramLabel = "NODES.yaml",
            description = "the nodes (default: three of different shape and policy)")
    private Path nodes;

    @Option(
            names = "--kube-assets",
            paramLabel = "DIR",
            description = "directory with the Kubernetes binaries (default: $$" + KubeBinaries.VARIABLE + ")")
    private Path assets;

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = command.commandLine().getOut();
        Path directory = cluster.directory();
        try {
            SimCluster.requireRoot();
            KubeBinaries binaries = binaries();
            Path yaml = yaml();
            NodeSpecYaml.read(yaml);
            BackgroundCluster.start(directory, binaries, yaml);
        } catch (SimClusterException | NodeSpecException | UncheckedIOException e) {
            command.commandLine().getErr().println(e.getMessage());
            return 1;
        }
        out.printf("The cluster is up. Use it with%n");
        out.printf("  export KUBECONFIG=%s%n", ClusterDirectory.kubeconfig(directory));
        out.printf("  kubectl get nodes%n");
        out.printf("and end it with%n  ./numaledger sim down --dir %s%n", directory);
        out.flush();
        return 0;
    }

    private KubeBinaries binaries() {
        return Optional.ofNullable(assets)
                .or(() -> Optional.ofNullable(System.getenv(KubeBinaries.VARIABLE))
                        .map(Path::of))
                .map(KubeBinaries::new)
                .orElseThrow(() -> new SimClusterException(
                        "no Kubernetes binaries: %s is not set; set it, or give --kube-assets DIR"
                                .formatted(KubeBinaries.VARIABLE)));
    }

    /** The cluster's process reads a file, so what is in our own archive is put into one. */
    private Path yaml() throws IOException {
        if (nodes != null) {
            return nodes;
        }
        Path copy = Files.createTempFile("numaledger-nodes-", ".yaml");
        copy.toFile().deleteOnExit();
        try (InputStream in = UpCommand.class.getResourceAsStream(DEFAULT_NODES)) {
            Files.write(copy, in.readAllBytes());
        }
        return copy;
    }
}
