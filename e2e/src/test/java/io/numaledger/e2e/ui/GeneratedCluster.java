package io.numaledger.e2e.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.apiservers.wait.Wait;
import io.numaledger.benchmarks.fleet.EtcdObjects;
import io.numaledger.benchmarks.trace.RealScheduler;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.e2e.support.NumaPlugin;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.ClusterCertificates;
import io.numaledger.simulator.deployment.BridgeApi;
import io.numaledger.simulator.fleet.FleetNode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A real API server with generated nodes and their pods, and a bridge behind it. There are no kubelets. */
final class GeneratedCluster implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NODES = "/apis/numaledger.io/v1alpha1/numanodes";

    private final Path directory;
    private final RealApiServer server;
    private final KubernetesClient client;
    private Optional<Bridge> bridge = Optional.empty();
    private Optional<KubernetesClient> bridgeClient = Optional.empty();

    /** Starts the API server. */
    GeneratedCluster(Path directory) throws IOException {
        this.directory = directory;
        this.server = RealApiServer.start(
                RealKubernetes.binaries().directory(), directory.resolve("api"), RealScheduler.arguments(directory));
        this.client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(server.kubeconfig().toFile()))
                .build();
        NumaPlugin.install(directory);
    }

    /** Most objects are written to etcd, which takes seconds. */
    void create(List<FleetNode> nodes) {
        new EtcdObjects(server.httpClient(), server.etcdUrl()).write(nodes);
    }

    /** Cordons a node, and sets a label. */
    void cordon(String node, String key, String value) {
        client.nodes()
                .withName(node)
                .edit((Node old) -> old.edit()
                        .editMetadata()
                        .addToLabels(key, value)
                        .endMetadata()
                        .editOrNewSpec()
                        .withUnschedulable(true)
                        .endSpec()
                        .build());
    }

    /** Returns when the bridge answers through the API server. */
    void startBridge() throws IOException {
        ClusterCertificates certificates = new ClusterCertificates(directory);
        BridgeApi api = new BridgeApi(FreePort.next(), FreePort.next());
        KubernetesClient reader = ClusterReader.client(Optional.of(server.kubeconfig()));
        bridgeClient = Optional.of(reader);
        Bridge started = new Bridge(api.options(certificates), reader);
        bridge = Optional.of(started);
        started.start();
        Wait.until("the bridge is ready").log(directory).holds(started::isReady);
        api.register(client, certificates, directory.resolve("api"));
    }

    /** The names of the nodes with a label. */
    List<String> labelled(String key, String value) {
        return client.nodes().withLabel(key, value).list().getItems().stream()
                .map(node -> node.getMetadata().getName())
                .toList();
    }

    /** What the API answers: all nodes. */
    List<JsonNode> nodes() throws IOException {
        List<JsonNode> nodes = new ArrayList<>();
        JSON.readTree(client.raw(NODES)).path("items").forEach(node -> nodes.add(node.path("status")));
        return nodes;
    }

    /** What the API answers: one node in detail. */
    JsonNode node(String name) throws IOException {
        return JSON.readTree(client.raw(NODES + "/" + name)).path("status");
    }

    /** Starts {@code kubectl} in a directory with its plugin. */
    ChildProcess kubectl(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "KUBECONFIG=" + server.kubeconfig(),
                "PATH=%s:%s:%s".formatted(RealKubernetes.binaries().directory(), directory, System.getenv("PATH")),
                "kubectl"));
        command.addAll(List.of(arguments));
        return ChildProcess.start("kubectl", directory, command);
    }

    @Override
    public void close() {
        bridge.ifPresent(Bridge::close);
        bridgeClient.ifPresent(KubernetesClient::close);
        client.close();
        server.close();
    }
}
