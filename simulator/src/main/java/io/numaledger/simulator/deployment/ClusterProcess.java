package io.numaledger.simulator.deployment;

import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.apiservers.real.RealApiServerException;
import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.simulator.cluster.BackgroundCluster;
import io.numaledger.simulator.cluster.ClusterDirectory;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimClusterBuilder;
import io.numaledger.simulator.cluster.SimClusterException;
import io.numaledger.simulator.container.ContainerException;
import io.numaledger.simulator.container.ImageArchive;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.rehearsal.ClusterRequests;
import io.numaledger.simulator.rehearsal.RequestSocket;
import io.numaledger.simulator.restore.RestoredNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The process of a cluster that {@code sim up} started. It ends, cluster and all, when it is asked to terminate. */
public final class ClusterProcess {

    static final String AGENTS = "agents";
    static final String BRIDGE = "bridge";
    static final String IMAGE = "image=";

    private ClusterProcess() {}

    /** A running cluster, and how to end it. */
    private record Running(SimCluster cluster, Runnable close) {}

    /**
     * Arguments: the cluster's directory, the binaries' directory, the node YAML or a recording, and {@link #AGENTS}, {@link #BRIDGE}, or
     * {@link #IMAGE} with a file for each image.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        try {
            run(List.of(arguments));
        } catch (SimClusterException
                | NotInTimeException
                | RealApiServerException
                | ContainerException
                | UncheckedIOException e) {
            System.out.println(e.getMessage());
            System.exit(1);
        }
    }

    private static void run(List<String> given) throws IOException, InterruptedException {
        Path directory = Path.of(given.get(0));
        Running running = start(
                nodes(SimCluster.builder(new KubeBinaries(Path.of(given.get(1)))), Path.of(given.get(2)))
                        .directory(directory)
                        .archives(images(given)),
                given);
        RequestSocket requests = RequestSocket.serve(directory, new ClusterRequests(running.cluster())::answer);
        Thread end = new Thread(
                () -> {
                    requests.close();
                    running.close().run();
                },
                "end of the cluster");
        Runtime.getRuntime().addShutdownHook(end);
        Files.createFile(ClusterDirectory.ready(directory));
        new CountDownLatch(1).await();
    }

    private static SimClusterBuilder nodes(SimClusterBuilder builder, Path file) throws IOException {
        return Recording.isNamedBy(file)
                ? new RestoredNode(Recording.read(file)).in(builder, BackgroundCluster::step)
                : builder.nodes(NodeSpecYaml.read(file));
    }

    private static List<ImageArchive> images(List<String> arguments) {
        return arguments.stream()
                .filter(argument -> argument.startsWith(IMAGE))
                .map(argument -> new ImageArchive(Path.of(argument.substring(IMAGE.length()))))
                .toList();
    }

    private static Running start(SimClusterBuilder builder, List<String> given) throws IOException {
        if (given.contains(BRIDGE)) {
            BridgedCluster bridged = BridgedCluster.startWithApi(builder, BackgroundCluster::step);
            return new Running(bridged.cluster(), bridged::close);
        }
        SimCluster cluster = builder.steps(BackgroundCluster::step).start();
        if (!given.contains(AGENTS)) {
            return new Running(cluster, cluster::close);
        }
        BackgroundCluster.step("agents");
        ClusterAgents agents = new ClusterAgents(cluster, node -> cluster.kubeconfig());
        agents.awaitPublished(cluster);
        return new Running(cluster, () -> {
            agents.close();
            cluster.close();
        });
    }
}
