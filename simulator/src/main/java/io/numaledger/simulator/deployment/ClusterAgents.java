package io.numaledger.simulator.deployment;

import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.node.AgentProcess;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import static java.util.Objects.requireNonNull;

/** An agent for every node of a cluster, each a process of its own. Agents stop when this is closed. */
public final class ClusterAgents implements AutoCloseable {

    private final Function<String, Path> kubeconfigs;
    private final Map<String, ChildProcess> agents = new TreeMap<>();

    /** @param kubeconfigs node name → kubeconfig of its agent */
    public ClusterAgents(SimCluster cluster, Function<String, Path> kubeconfigs) {
        this.kubeconfigs = kubeconfigs;
        cluster.nodes().forEach(node -> start(node));
    }

    /** Stops the agent of a node. */
    public void stop(SimNode node) {
        requireNonNull(agents.remove(node.name())).close();
    }

    /**
     * Starts the agent of a node.
     *
     * @param flags beside those that it needs
     */
    public void start(SimNode node, String... flags) {
        List<String> all = new ArrayList<>(List.of(
                "--node-name=" + node.name(),
                "--podresources-socket=" + node.podResourcesSocket(),
                "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                "--kubelet-config=" + node.kubeletConfig(),
                "--kubeconfig=" + kubeconfigs.apply(node.name())));
        all.addAll(List.of(flags));
        agents.put(
                node.name(),
                AgentProcess.start(requireNonNull(node.kubeletRoot().getParent()), all));
    }

    /** Waits until every node has a NodeResourceTopology. */
    public void awaitPublished(SimCluster cluster) {
        SortedSet<String> nodes =
                cluster.nodes().stream().map(SimNode::name).collect(Collectors.toCollection(TreeSet::new));
        Wait.until("every node has a NodeResourceTopology: nodes=" + nodes)
                .log(cluster.directory())
                .value(
                        () -> new TreeSet<>(ClusterReader.read(cluster.client())
                                .topologies()
                                .keySet()),
                        published -> published.containsAll(nodes));
    }

    @Override
    public void close() {
        agents.values().forEach(ChildProcess::kill);
    }
}
