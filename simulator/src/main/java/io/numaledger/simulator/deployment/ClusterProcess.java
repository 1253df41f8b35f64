package io.numaledger.simulator.deployment;

import io.numaledger.simulator.cluster.ClusterDirectory;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.container.ImageArchive;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.io.IOException;
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

    /**
     * Arguments: the cluster's directory, the binaries' directory, the node YAML, and {@link #AGENTS}, {@link #BRIDGE}, or
     * {@link #IMAGE} with a file for each image.
     */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> given = List.of(arguments);
        Path directory = Path.of(given.get(0));
        KubeBinaries binaries = new KubeBinaries(Path.of(given.get(1)));
        List<NodeSpec> nodes = NodeSpecYaml.read(Path.of(given.get(2)));
        CountDownLatch forever = new CountDownLatch(1);
        Runnable close = given.contains(BRIDGE)
                ? startWithBridge(binaries, nodes, directory)
                : start(
                        SimCluster.builder(binaries)
                                .directory(directory)
                                .nodes(nodes)
                                .archives(images(given)),
                        given.contains(AGENTS));
        Runtime.getRuntime().addShutdownHook(new Thread(close, "end of the cluster"));
        Files.createFile(ClusterDirectory.ready(directory));
        forever.await();
    }

    private static List<ImageArchive> images(List<String> arguments) {
        return arguments.stream()
                .filter(argument -> argument.startsWith(IMAGE))
                .map(argument -> new ImageArchive(Path.of(argument.substring(IMAGE.length()))))
                .toList();
    }

    private static Runnable start(SimCluster.Builder builder, boolean withAgents) {
        SimCluster cluster = builder.start();
        if (!withAgents) {
            return cluster::close;
        }
        ClusterAgents agents = new ClusterAgents(cluster, node -> cluster.kubeconfig());
        agents.awaitPublished(cluster);
        return () -> {
            agents.close();
            cluster.close();
        };
    }

    private static Runnable startWithBridge(KubeBinaries binaries, List<NodeSpec> nodes, Path directory)
            throws IOException {
        BridgedCluster cluster = BridgedCluster.start(
                SimCluster.builder(binaries).directory(directory).nodes(nodes), Credentials::ofAdministrator);
        Files.writeString(ClusterDirectory.bridgeUrl(directory), cluster.url());
        return cluster::close;
    }
}
