package io.numaledger.simulator.cluster;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.cli.TextTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/** {@code sim status}: prints the nodes of a background cluster and the journal of its pods. */
@Command(
        name = "status",
        description = "Shows the nodes of a cluster that sim up started, and what became of each pod.",
        footer = "Exit status: 0 it runs; 1 it does not.",
        mixinStandardHelpOptions = true)
public final class StatusCommand implements Callable<Integer> {

    @Mixin
    private ClusterOptions cluster = new ClusterOptions();

    @Spec
    private CommandSpec command;

    @Override
    public Integer call() throws IOException {
        Path directory = cluster.directory();
        long owner = ClusterDirectory.requireRunning(directory);
        PrintWriter out = command.commandLine().getOut();
        out.printf("cluster: dir=%s pid=%d%n%n", directory, owner);
        SortedMap<String, NodeDirectory> nodes = nodes(directory);
        try (KubernetesClient client = SimCluster.clientOf(ClusterDirectory.kubeconfig(directory));
                Journal journal = Journal.follow(client, () -> nodes)) {
            out.print(nodeTable(client));
            out.println();
            out.print(journal.table());
        }
        out.flush();
        return 0;
    }

    private static SortedMap<String, NodeDirectory> nodes(Path directory) throws IOException {
        SortedMap<String, NodeDirectory> nodes = new TreeMap<>();
        try (Stream<Path> roots = Files.list(ClusterDirectory.nodes(directory))) {
            roots.forEach(root -> nodes.put(root.getFileName().toString(), new NodeDirectory(root)));
        }
        return nodes;
    }

    private static String nodeTable(KubernetesClient client) {
        TextTable table = new TextTable(List.of("NODE", "READY", "KUBELET", "CPU", "MEMORY"));
        for (Node node : client.nodes().list().getItems()) {
            table.row(List.of(
                    node.getMetadata().getName(),
                    NodeReadiness.hasReadyCondition(node) ? "yes" : "no",
                    node.getStatus().getNodeInfo().getKubeletVersion(),
                    requireNonNull(node.getStatus().getAllocatable().get("cpu")).toString(),
                    requireNonNull(node.getStatus().getAllocatable().get("memory"))
                            .toString()));
        }
        return table.print();
    }
}
