package io.numaledger.simulator.deployment;

import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.cli.Progress;
import io.numaledger.simulator.cluster.BackgroundCluster;
import io.numaledger.simulator.cluster.ClusterDirectory;
import io.numaledger.simulator.cluster.ClusterOptions;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.NodeDirectory;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimClusterException;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecException;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.record.RecordedPods;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;

/** {@code sim up}: a real Kubernetes on simulated hardware, in the background. */
@Command(
        name = "up",
        description =
                "Starts a real Kubernetes on simulated hardware; returns when all of it is ready. It runs until sim down.",
        footer = "Needs root, and the Kubernetes binaries. Exit status: 0 up; 1 not up.",
        mixinStandardHelpOptions = true)
public final class UpCommand implements Callable<Integer> {

    private static final String DEFAULT_NODES = "/io/numaledger/simulator/cluster/default-nodes.yaml";

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Option(
            names = {"-f", "--nodes"},
            paramLabel = "NODES.yaml",
            description =
                    "the nodes, or the archive of sim record or kubectl numa audit --save (default: three of different shape and policy)")
    private Path nodes;

    @Option(
            names = "--kube-assets",
            paramLabel = "DIR",
            description = "directory with the Kubernetes binaries (default: $$" + KubeBinaries.VARIABLE + ")")
    private Path assets;

    @Option(names = "--with-agents", description = "start an agent for each node, too")
    private boolean withAgents;

    @Option(
            names = "--with-bridge",
            description = "start agents and a bridge, too; the cluster's scheduler uses the bridge for all pods")
    private boolean withBridge;

    @Option(
            names = "--load-image",
            paramLabel = "IMAGE.tar",
            description = "image from ./numaledger image, whose containers run as processes; repeatable. "
                    + "kube-scheduler's image runs then, too. Not with --with-agents or --with-bridge")
    private List<Path> images = List.of();

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        Path directory = cluster.directory();
        List<NodeSpec> specs;
        try {
            SimCluster.requireRoot();
            requireImages();
            Path file = file();
            specs = isRecording() ? NodeSpecYaml.parse(Recording.read(file).nodes()) : NodeSpecYaml.read(file);
            List<String> arguments = new ArrayList<>(List.of(
                    binaries().directory().toString(), file.toAbsolutePath().toString()));
            images.forEach(image -> arguments.add(ClusterProcess.IMAGE + image.toAbsolutePath()));
            if (withBridge) {
                arguments.add(ClusterProcess.BRIDGE);
            } else if (withAgents) {
                arguments.add(ClusterProcess.AGENTS);
            }
            try (Progress progress = Progress.on(command.commandLine().getErr())) {
                BackgroundCluster.start(ClusterProcess.class, directory, arguments, progress);
            }
        } catch (SimClusterException | NotInTimeException | NodeSpecException | UncheckedIOException e) {
            command.commandLine().getErr().println(e.getMessage());
            return 1;
        }
        print(directory, specs);
        if (isRecording()) {
            printPod(directory);
        }
        return 0;
    }

    private void requireImages() {
        if (!images.isEmpty() && (withAgents || withBridge)) {
            throw new SimClusterException(
                    "--load-image starts no agents and no bridge; leave out --with-agents and --with-bridge, and install the chart");
        }
        images.stream().filter(image -> !Files.isReadable(image)).findFirst().ifPresent(missing -> {
            throw new SimClusterException(
                    "cannot read an image: file=%s; build it with ./numaledger image".formatted(missing));
        });
    }

    private void print(Path directory, List<NodeSpec> specs) throws IOException {
        PrintWriter out = command.commandLine().getOut();
        out.printf("The cluster is up. Use it with%n");
        out.printf("  export KUBECONFIG=%s%n", ClusterDirectory.kubeconfig(directory));
        out.printf("  kubectl get nodes%n");
        if (withBridge) {
            out.printf("The scheduler uses the bridge. See what is free, and why a pod waits, with%n");
            out.printf("  kubectl get numanodes%n");
            out.printf("  ./numaledger numa explain POD%n");
        } else if (withAgents) {
            out.printf("Each node has an agent. See what they publish with%n");
            out.printf("  kubectl get noderesourcetopologies%n");
        } else if (!images.isEmpty()) {
            out.printf("Containers of the loaded images run. Install the chart, as docs/install.md says, with%n");
            out.printf("  helm install numaledger charts/numaledger --namespace numaledger --create-namespace ...%n");
        } else {
            out.printf("Start an agent for a node with%n");
            for (NodeSpec spec : specs) {
                NodeDirectory node = ClusterDirectory.node(directory, spec.name());
                out.printf(
                        "  ./numaledger agent run --kubeconfig %s --node-name %s --sysfs-root %s --kubelet-config %s --podresources-socket %s%n",
                        ClusterDirectory.kubeconfig(directory),
                        spec.name(),
                        node.hardware().resolve("sys"),
                        node.config(),
                        node.podResourcesSocket());
            }
        }
        out.printf("End the cluster with%n  ./numaledger sim down --dir %s%n", directory);
        out.flush();
    }

    private boolean isRecording() {
        return nodes != null && Recording.isNamedBy(nodes);
    }

    private void printPod(Path directory) throws IOException {
        PrintWriter out = command.commandLine().getOut();
        out.printf("The recorded pods hold what was recorded.%n");
        Optional<String> decided = RecordedPods.decided(Recording.read(nodes));
        if (decided.isPresent()) {
            Path pod = Files.writeString(directory.resolve("pod.json"), decided.get());
            out.printf("Let the kubelet decide again on the last pod with%n  kubectl create -f %s%n", pod);
        }
        out.flush();
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
    private Path file() throws IOException {
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
