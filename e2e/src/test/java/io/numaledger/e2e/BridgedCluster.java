package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.cluster.ObjectReader;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.cluster.PodObject;
import io.numaledger.bridge.node.Confidence;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.node.RecordSource;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.score.Goal;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.socket.FreePort;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.awaitility.Awaitility.await;

/** Real kubelets with an agent each, and a kube-scheduler that asks a bridge as the shipped configuration says. */
final class BridgedCluster implements AutoCloseable {

    private static final KubernetesSerialization TYPED = new KubernetesSerialization();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** As the bridge has it by default. */
    static final Duration HOLD_AFTER = Duration.ofSeconds(2);

    private final SimCluster cluster;
    private final KubernetesClient client;
    private final Bridge bridge;
    private final AgentOfEachNode agents;

    private BridgedCluster(SimCluster cluster, KubernetesClient client, Bridge bridge) {
        this.cluster = cluster;
        this.client = client;
        this.bridge = bridge;
        this.agents = new AgentOfEachNode(cluster);
    }

    /** All nodes Ready, and known exactly to the bridge. */
    static BridgedCluster start(String nodes) {
        int port = FreePort.next();
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
                            Strategy.LeastNUMANodes,
                            HOLD_AFTER),
                    client);
            BridgedCluster bridged = new BridgedCluster(cluster, client, bridge);
            bridge.start();
            await().atMost(PATIENCE).until(bridged::isKnown);
            return bridged;
        } catch (IOException e) {
            cluster.close();
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

    /** True if a pod without a node fits some node, by kube-scheduler's sums and by zones. */
    boolean fits(Pod pod) {
        PodFacts facts = ObjectReader.pod(TYPED.convertValue(pod, PodObject.class));
        return NodeSums.read(cluster.client()).holding(pod).stream()
                .anyMatch(node -> Judge.now(bridge.ledger().picture(node).orElseThrow(), facts)
                        .fits());
    }

    /** At the latest when the agents have looked once more. */
    void assertLedgerIsTheKubelets() {
        await("all pods are observed")
                .atMost(PATIENCE)
                .until(() -> bridge.ledger().pictures().stream()
                        .flatMap(node -> node.pods().stream())
                        .noneMatch(held -> held.source() == RecordSource.RESERVED));
        LedgerTruth truth = await("the ledger is what the kubelets hold")
                .atMost(PATIENCE)
                .until(this::truth, found -> found.wrong().isEmpty());
        truth.hidden().forEach(sentence -> System.out.println("measured: podresources do not show: " + sentence));
        System.out.printf(
                "measured: ledger compared=%d wrong=%d hidden=%d%n",
                truth.compared(), truth.wrong().size(), truth.hidden().size());
    }

    private LedgerTruth truth() {
        return LedgerTruth.of(
                cluster,
                bridge.ledger(),
                cluster.client().pods().inNamespace("default").list().getItems());
    }

    /** What the bridge counted, for the measured figures. */
    String figures() {
        return metrics()
                .filter(line -> line.startsWith("numaledger_bridge_binds_total")
                        || line.startsWith("numaledger_bridge_reminders_total")
                        || line.startsWith("numaledger_bridge_predictions_total")
                        || line.startsWith("numaledger_bridge_rejected_in_spite_total"))
                .map(line -> line.replace("numaledger_bridge_", "").replace("\"", ""))
                .collect(Collectors.joining(" "));
    }

    /** The lines at /metrics. */
    Stream<String> metrics() {
        return ask(HttpRequest.newBuilder(address("/metrics")));
    }

    private URI address(String path) {
        return URI.create("http://127.0.0.1:" + bridge.address().getPort() + path);
    }

    private static Stream<String> ask(HttpRequest.Builder request) {
        try {
            return HttpClient.newHttpClient()
                    .send(request.build(), BodyHandlers.ofLines())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the bridge was asked", e);
        }
    }

    /** Asks the bridge about a pod as its scheduler would. */
    void filter(Pod pod, String node) {
        String body = "{\"Pod\":%s,\"NodeNames\":[\"%s\"]}".formatted(TYPED.asJson(pod), node);
        ask(HttpRequest.newBuilder(address("/filter")).POST(BodyPublishers.ofString(body)));
    }

    SimCluster cluster() {
        return cluster;
    }

    Bridge bridge() {
        return bridge;
    }

    @Override
    public void close() {
        agents.close();
        bridge.close();
        client.close();
        cluster.close();
    }
}
