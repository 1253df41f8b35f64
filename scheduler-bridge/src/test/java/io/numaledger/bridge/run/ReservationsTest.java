package io.numaledger.bridge.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.bridge.watch.ClusterReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Reservations of a bridge without an agent: extender calls as kube-scheduler sends them. One node, two zones of 4 CPUs. */
class ReservationsTest {

    private static final Duration SOON = Duration.ofMinutes(3);
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final List<String> NODE = List.of("""
            apiVersion: v1
            kind: Node
            metadata: {name: n}
            status:
              nodeInfo:
                {architecture: amd64, bootID: b, containerRuntimeVersion: c, kernelVersion: k, kubeProxyVersion: p,
                 kubeletVersion: v1.36.3, machineID: m, operatingSystem: linux, osImage: o, systemUUID: u}
            """, """
            apiVersion: topology.node.k8s.io/v1alpha2
            kind: NodeResourceTopology
            metadata: {name: n}
            attributes:
            - {name: topologyManagerPolicy, value: single-numa-node}
            - {name: topologyManagerScope, value: container}
            - {name: cpuManagerPolicy, value: static}
            - {name: memoryManagerPolicy, value: None}
            zones:
            - name: node-0
              type: Node
              attributes: [{name: cpus, value: 0-4}, {name: reservedSystemCPUs, value: "0"}]
              resources: [{name: cpu, capacity: "5", allocatable: "4", available: "4"}]
            - name: node-1
              type: Node
              attributes: [{name: cpus, value: 5-8}, {name: reservedSystemCPUs, value: ""}]
              resources: [{name: cpu, capacity: "4", allocatable: "4", available: "4"}]
            """);

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private KubernetesClient client;
    private Bridge bridge;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        NODE.forEach(yaml -> client.resource(yaml).create());
        bridge = startBridge();
    }

    private Bridge startBridge() throws IOException {
        Bridge started = new Bridge(BridgeOptions.plainHttp(0, "--hold-after=0s"), client);
        started.start();
        await().atMost(SOON).until(started::isReady);
        assertThat(started.cluster().snapshot("n").orElseThrow().topology()).isPresent();
        return started;
    }

    @AfterEach
    void stop() {
        bridge.close();
        client.close();
        server.close();
    }

    private Pod create(String name, int cpus) {
        HasMetadata created = client.resource("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: %s, namespace: default}
                        spec:
                          containers:
                          - {name: c, image: x, resources: {limits: {cpu: "%d", memory: 1Gi}, requests: {cpu: "%2$d", memory: 1Gi}}}
                        """.formatted(name, cpus)).create();
        await().atMost(SOON)
                .until(() -> bridge.cluster().pods().get("default/" + name).isPresent());
        return (Pod) created;
    }

    /** Binds the pod; returns the error, which is empty on success. */
    private String bind(Pod pod) throws Exception {
        return ask(
                        "/bind",
                        JSON.createObjectNode()
                                .put("PodName", pod.getMetadata().getName())
                                .put("PodNamespace", "default")
                                .put("PodUID", pod.getMetadata().getUid())
                                .put("Node", "n"))
                .path("Error")
                .asText();
    }

    private boolean passesTheFilter(Pod pod) throws Exception {
        var question = JSON.createObjectNode();
        question.set("Pod", JSON.valueToTree(pod));
        question.putArray("NodeNames").add("n");
        return ask("/filter", question).path("NodeNames").size() == 1;
    }

    private JsonNode ask(String path, JsonNode question) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:%d%s".formatted(bridge.address().getPort(), path)))
                .POST(HttpRequest.BodyPublishers.ofString(question.toString()))
                .build();
        return JSON.readTree(HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body());
    }

    private Pod stored(String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    @Test
    void reservesTheZonesOfABoundPodAtOnce() throws Exception {
        assertThat(bind(create("first", 3))).isEmpty();
        assertThat(bind(create("second", 3))).isEmpty();

        assertThat(passesTheFilter(create("third", 2))).isFalse();
        assertThat(stored("first").getMetadata().getAnnotations())
                .containsEntry(Annotations.PREDICTED, "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"3\"}}]");
        assertThat(stored("second").getSpec().getNodeName()).isEqualTo("n");
    }

    @Test
    void endsTheReservationOfAPodThatIsDeletedBeforeItIsObserved() throws Exception {
        assertThat(bind(create("first", 4))).isEmpty();
        assertThat(bind(create("second", 4))).isEmpty();
        Pod third = create("third", 4);
        assertThat(passesTheFilter(third)).isFalse();

        client.pods()
                .inNamespace("default")
                .withName("first")
                .withGracePeriod(0)
                .delete();
        client.pods()
                .inNamespace("default")
                .withName("second")
                .withGracePeriod(0)
                .delete();

        await().atMost(SOON).until(() -> bridge.cluster().reservations() == 0);
        assertThat(passesTheFilter(third)).isTrue();
    }

    @Test
    void cancelsTheReservationWhenTheApiServerRefusesTheBinding() throws Exception {
        Pod first = create("first", 4);
        assertThat(bind(create("other", 4))).isEmpty();
        server.faults().once(request -> request.path().endsWith("/pods/first/binding"), Fault.ErrorResponse.conflict());

        assertThat(bind(first))
                .startsWith("cannot bind: pod=default/first node=n: ")
                .endsWith("; the scheduler will retry the pod");

        assertThat(bridge.cluster().reservations()).isEqualTo(1);
        assertThat(stored("first").getSpec().getNodeName()).isNull();
        assertThat(stored("first").getMetadata().getAnnotations()).isNullOrEmpty();
        assertThat(bind(first)).isEmpty();
    }

    @Test
    void keepsReservationsOverARestart() throws Exception {
        assertThat(bind(create("first", 3))).isEmpty();
        assertThat(bind(create("second", 3))).isEmpty();

        bridge.close();
        bridge = startBridge();

        assertThat(passesTheFilter(create("third", 2))).isFalse();
    }

    /** Before it is ready, a bridge calls its verbs for made-up pods: some fit the node, and some do not. */
    @Test
    void aStartWritesAndCountsNothing() throws Exception {
        server.requests().clear();
        try (Bridge started = startBridge()) {
            URI metrics = URI.create("http://127.0.0.1:" + started.address().getPort() + "/metrics");
            String body = HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
                    .body();

            assertThat(body.lines().filter(line -> line.startsWith("numaledger_bridge_filtered_nodes_total")))
                    .isNotEmpty()
                    .allMatch(line -> line.endsWith(" 0.0"));
        }
        assertThat(server.requests().writes()).isEmpty();
    }
}
