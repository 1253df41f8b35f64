package io.numaledger.simulator.node;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.simulator.hardware.NodeSpec;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Simulated nodes of one cluster, each with an agent process. */
public final class SimulatedNodes implements AutoCloseable {

    /** So that nodes which leave a cluster that is gone do not wait for it. */
    private static final int RETRIES = 2;

    private final KubernetesClient client;
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();
    private final List<SimulatedKubelet> kubelets = new ArrayList<>();
    private final List<ChildProcess> agents = new ArrayList<>();

    private SimulatedNodes(KubernetesClient client) {
        this.client = client;
    }

    /**
     * Starts them.
     *
     * @param directory gets one directory a node
     * @throws IOException if a socket, a tree or a process cannot be made; nothing is left running then
     */
    public static SimulatedNodes start(Path kubeconfig, List<NodeSpec> specs, Path directory, LagOf lag)
            throws IOException {
        return start(kubeconfig, specs, directory, lag, node -> kubeconfig);
    }

    /**
     * The same with other kubeconfigs for the agents.
     *
     * @param agents node name → kubeconfig; called when the node exists
     */
    public static SimulatedNodes start(
            Path kubeconfig, List<NodeSpec> specs, Path directory, LagOf lag, Function<String, Path> agents)
            throws IOException {
        Config config = new ConfigBuilder(Config.fromKubeconfig(kubeconfig.toFile()))
                .withRequestRetryBackoffLimit(RETRIES)
                .build();
        SimulatedNodes nodes = new SimulatedNodes(
                new KubernetesClientBuilder().withConfig(config).build());
        try {
            for (NodeSpec spec : specs) {
                Path home = Files.createDirectories(directory.resolve(spec.name()));
                SimulatedNode node =
                        new SimulatedNode(nodes.client, spec, AgentProcess.socket(home), lag.lag(spec.name()));
                nodes.parts.push(node);
                nodes.kubelets.add(node.kubelet());
                ChildProcess agent = AgentProcess.start(spec, home, agents.apply(spec.name()));
                nodes.parts.push(agent);
                nodes.agents.add(agent);
            }
        } catch (IOException | RuntimeException e) {
            nodes.close();
            throw e;
        }
        return nodes;
    }

    /** The report lag of each node: a value of its own, since it draws. */
    @FunctionalInterface
    public interface LagOf {
        ReportLag lag(String node);
    }

    /** Why a pod was refused by whichever of these kubelets had it, by its UID. */
    public Optional<String> refusal(String uid) {
        return kubelets.stream()
                .flatMap(kubelet -> kubelet.refusal(uid).stream())
                .findFirst();
    }

    /** @throws UncheckedIOException if an agent has ended, with the end of its log */
    public void requireAgents() {
        for (ChildProcess agent : agents) {
            if (!agent.isAlive()) {
                String message =
                        "an agent has ended: log=%s; the end of its log:%n%s".formatted(agent.log(), agent.lastLines());
                throw new UncheckedIOException(message, new IOException(message));
            }
        }
    }

    /** True where the cluster knows NodeResourceTopology objects. */
    boolean takesTopologies() {
        return client.getApiResources("topology.node.k8s.io/v1alpha2") != null;
    }

    public KubernetesClient client() {
        return client;
    }

    /** Ends the agents, and takes the nodes out of the cluster. A second call does nothing. */
    @Override
    public synchronized void close() throws IOException {
        try {
            while (!parts.isEmpty()) {
                parts.pop().close();
            }
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("cannot stop a simulated node", e);
        }
        client.close();
    }
}
