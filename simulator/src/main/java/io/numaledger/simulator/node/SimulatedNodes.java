package io.numaledger.simulator.node;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.kubelet.answer.Refusal;
import io.numaledger.simulator.hardware.NodeSpec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Simulated nodes of one cluster, each with an agent process. */
public final class SimulatedNodes implements AutoCloseable {

    private final KubernetesClient client;
    private final List<AutoCloseable> parts = new ArrayList<>();

    private final List<SimulatedKubelet> kubelets = new ArrayList<>();

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
        SimulatedNodes nodes = new SimulatedNodes(new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build());
        try {
            for (NodeSpec spec : specs) {
                Path home = Files.createDirectories(directory.resolve(spec.name()));
                SimulatedNode node =
                        new SimulatedNode(nodes.client, spec, AgentProcess.socket(home), lag.lag(spec.name()));
                nodes.parts.add(node);
                nodes.kubelets.add(node.kubelet());
                nodes.parts.add(AgentProcess.start(spec, home, kubeconfig));
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
    public Optional<Refusal> refusal(String uid) {
        return kubelets.stream()
                .flatMap(kubelet -> kubelet.refusal(uid).stream())
                .findFirst();
    }

    public KubernetesClient client() {
        return client;
    }

    @Override
    public void close() throws IOException {
        for (int i = parts.size() - 1; i >= 0; i--) {
            try {
                parts.get(i).close();
            } catch (IOException e) {
                throw e;
            } catch (Exception e) {
                throw new IOException("cannot stop a simulated node", e);
            }
        }
        client.close();
    }
}
