package io.numaledger.e2e;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.node.Confidence;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.score.Goal;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.NodeSpecYaml;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.awaitility.Awaitility.await;

/** Real kubelets with an agent each, and a kube-scheduler that asks a bridge as the shipped configuration says. */
final class BridgedCluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SimCluster cluster;
    private final KubernetesClient client;
    private final Bridge bridge;
    private final List<Process> agents = new ArrayList<>();

    private BridgedCluster(SimCluster cluster, KubernetesClient client, Bridge bridge) {
        this.cluster = cluster;
        this.client = client;
        this.bridge = bridge;
    }

    /** All nodes Ready, and known exactly to the bridge. */
    static BridgedCluster start(String nodes) {
        System.setProperty("sun.net.httpserver.nodelay", "true");
        int port = freePort();
        String shipped = SchedulerConfig.text(
                "http://127.0.0.1:" + port, "default-scheduler", Optional.empty(), Optional.empty(), false);
        SimCluster cluster = SimCluster.builder(RealKubernetes.binaries())
                .nodes(NodeSpecYaml.parse(nodes))
                .schedulerConfiguration(shipped)
                .start();
        try {
            KubernetesClient client = ClusterReader.client(Optional.of(cluster.kubeconfig()));
            Bridge bridge = new Bridge(
                    new Bridge.Settings(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                            Optional.empty(),
                            BridgeServer.Limits.DEFAULT,
                            PictureSettings.DEFAULT,
                            List.of(Goal.ZONES, Goal.WHOLE_ZONES, Goal.STRATEGY),
                            Strategy.LeastNUMANodes),
                    client);
            BridgedCluster bridged = new BridgedCluster(cluster, client, bridge);
            cluster.nodes().forEach(bridged::startAgent);
            bridge.start();
            await().atMost(PATIENCE).until(bridged::isKnown);
            return bridged;
        } catch (IOException e) {
            cluster.close();
            throw new UncheckedIOException(e);
        }
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isKnown() {
        return bridge.isReady()
                && cluster.nodes().stream()
                        .allMatch(node -> bridge.ledger()
                                .picture(node.name())
                                .filter(picture -> picture.confidence() == Confidence.EXACT
                                        && picture.topology().orElseThrow().zones().stream()
                                                .anyMatch(zone ->
                                                        !zone.resources().isEmpty()))
                                .isPresent());
    }

    private void startAgent(SimNode node) {
        Path root = node.kubeletRoot().getParent();
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
                "--kubelet-config=" + root.resolve("kubelet.yaml"),
                "--kubeconfig=" + cluster.kubeconfig());
        try {
            agents.add(new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(root.resolve("agent.log").toFile())
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    SimCluster cluster() {
        return cluster;
    }

    Bridge bridge() {
        return bridge;
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
        bridge.close();
        client.close();
        cluster.close();
    }
}
