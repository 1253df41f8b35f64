package io.numaledger.simulator.deployment;

import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static java.util.Objects.requireNonNull;
import static org.awaitility.Awaitility.await;

/** An agent for every node of a cluster, each a process of its own. Agents stop when this is closed. */
public final class ClusterAgents implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final List<Process> agents = new ArrayList<>();

    public ClusterAgents(SimCluster cluster) {
        cluster.nodes().forEach(node -> agents.add(start(cluster, node)));
    }

    private static Process start(SimCluster cluster, SimNode node) {
        Path root = requireNonNull(node.kubeletRoot().getParent());
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xss256k",
                "-Xmx48m",
                "-cp",
                System.getProperty("java.class.path"),
                "io.numaledger.agent.AgentMain",
                "run",
                "--node-name=" + node.name(),
                "--podresources-socket=" + node.podResourcesSocket(),
                "--sysfs-root=" + node.hardwareRoot().resolve("sys"),
                "--kubelet-config=" + node.kubeletConfig(),
                "--kubeconfig=" + cluster.kubeconfig());
        try {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(root.resolve("agent.log").toFile());
            builder.environment().remove("LOG_LEVEL");
            return builder.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until every node has a NodeResourceTopology. */
    public void awaitPublished(SimCluster cluster) {
        await().atMost(TIMEOUT)
                .until(() -> ClusterReader.read(cluster.client())
                        .topologies()
                        .keySet()
                        .containsAll(cluster.nodes().stream().map(SimNode::name).toList()));
    }

    @Override
    public void close() {
        for (Process agent : agents) {
            agent.destroy();
            try {
                if (!agent.waitFor(5, TimeUnit.SECONDS)) {
                    agent.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                agent.destroyForcibly();
            }
        }
    }
}
