package io.numaledger.bridge.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Objects that their owners wrote to harm the bridge: its calls are answered meanwhile, and other nodes and pods are served. Two nodes with
 * two zones of 4 CPUs each; a pod of 4 CPUs runs on the first.
 */
class HostileObjectsTest {

    private static final Duration SOON = Duration.ofMinutes(3);

    /** kube-scheduler's timeout for an extender is 5 s by default. */
    private static final Duration CALL = Duration.ofSeconds(4);

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String PLACEMENT = "numaledger.io/placement";
    private static final String NODE_INFO =
            "{architecture: amd64, bootID: b, containerRuntimeVersion: c, kernelVersion: k, kubeProxyVersion: p, kubeletVersion: v1.36.3,"
                    + " machineID: m, operatingSystem: linux, osImage: o, systemUUID: u}";

    @TempDir
    private Path directory;

    private final HttpClient http = HttpClient.newHttpClient();
    private EmbeddedApiServer server;
    private KubernetesClient client;
    private Bridge bridge;
    private Pod asking;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        client = ClusterReader.client(Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))));
        for (String node : List.of("n", "m")) {
            apply(ClusterYaml.node(node).replace("{kubeletVersion: v1.36.3}", NODE_INFO));
        }
        asking = (Pod) apply(ClusterYaml.pod("asking", "cpu: \"4\", memory: 1Gi", "", "", ""))
                .get(0);
        apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: owned, namespace: default}
                spec:
                  nodeName: n
                  containers: [{name: c, image: x, resources: {limits: {cpu: "4", memory: 1Gi}}}]
                status: {qosClass: Guaranteed, phase: Running, startTime: "2026-01-01T00:00:00Z"}
                """);
        bridge = new Bridge(BridgeOptions.plainHttp(0), client);
        bridge.start();
        await().atMost(SOON).until(bridge::isReady);
    }

    @AfterEach
    void stop() {
        bridge.close();
        client.close();
        server.close();
    }

    private List<?> apply(String yaml) {
        return Arrays.stream(yaml.split("---\n"))
                .filter(document -> !document.isBlank())
                .map(document -> client.resource(document).create())
                .toList();
    }

    private void annotate(String key, String text) {
        client.pods().inNamespace("default").withName("owned").edit(pod -> {
            pod.getMetadata().setAnnotations(Collections.singletonMap(key, text));
            return pod;
        });
    }

    private NodeSnapshot node(String name) {
        return bridge.cluster().snapshot(name).orElseThrow();
    }

    /** The nodes that the pod fits. */
    private List<String> filter() throws IOException, InterruptedException {
        var question = JSON.createObjectNode();
        question.set("Pod", JSON.valueToTree(asking));
        question.putArray("NodeNames").add("m").add("n");
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://127.0.0.1:%d/filter".formatted(bridge.address().getPort())))
                .timeout(CALL)
                .POST(HttpRequest.BodyPublishers.ofString(question.toString()))
                .build();
        JsonNode names = JSON.readTree(
                        http.send(request, HttpResponse.BodyHandlers.ofString()).body())
                .path("NodeNames");
        return JSON.convertValue(names, JSON.getTypeFactory().constructCollectionType(List.class, String.class));
    }

    static Stream<Arguments> records() {
        String container = "{\"name\":\"c\",\"cpus\":\"%s\"}";
        String record = "{\"version\":1,\"containers\":[%s]}";
        return Stream.of(
                arguments(
                        "every second of all CPUs, again and again",
                        PLACEMENT,
                        record.formatted(container.formatted("0-65535:1/2,".repeat(9_000) + "x")),
                        "its parts name more than 65536 ids"),
                arguments(
                        "the same, with larger ids",
                        PLACEMENT,
                        record.formatted(container.formatted("1-1048576:1/3,".repeat(9_000) + "x")),
                        "not a CPU list: part='1-1048576:1/3'"),
                arguments(
                        "the same, as predicted",
                        "numaledger.io/placement-predicted",
                        record.formatted(container.formatted("0-1048576:1/2,".repeat(9_000) + "x")),
                        ""),
                arguments(
                        "many containers with one large CPU id each",
                        PLACEMENT,
                        record.formatted(String.join(",", Collections.nCopies(8_000, container.formatted("1048576")))),
                        "malformed"),
                arguments(
                        "the same, with smaller ids",
                        PLACEMENT,
                        record.formatted(String.join(",", Collections.nCopies(4_000, container.formatted("65535")))),
                        "it has more than 1000 containers"),
                arguments(
                        "too long", PLACEMENT, record.formatted("") + " ".repeat(200_000), "it has 200029 characters"),
                arguments(
                        "an amount of many digits",
                        "kai.scheduler/numa-placement-observed",
                        "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"%s\"}}]".formatted("9".repeat(120_000)),
                        "not a quantity"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("records")
    void aRecordCostsOnlyThePodThatHasIt(String what, String key, String text, String reason) throws Exception {
        annotate(key, text);

        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(PodNames.ALL.text(node("n").reason())).contains(reason));
        for (int version = 0; version < 5; version++) {
            annotate(key, text + " ".repeat(version));
            assertThat(filter()).contains("m");
        }
        assertThat(node("n").pods()).as("it holds what it requests").hasSize(1);
    }

    @Test
    void aRecordIsReadOnceForEachVersionOfItsPod() throws Exception {
        annotate(PLACEMENT, "{\"version\":1,\"containers\":[{\"name\":\"c\",\"cpus\":\"1-4\"}]}");
        await().atMost(SOON)
                .until(() -> bridge.cluster()
                        .pods()
                        .get("default/owned")
                        .orElseThrow()
                        .observed());
        var read = bridge.cluster().pods().get("default/owned").orElseThrow().records();

        assertThat(filter()).containsExactlyInAnyOrder("m", "n");
        assertThat(bridge.cluster().pods().get("default/owned").orElseThrow().records())
                .isSameAs(read);
        assertThat(read.placement().orElseThrow().believed()).isPresent();
    }

    static Stream<Arguments> topologies() {
        return Stream.of(
                arguments(
                        "a billion devices on two zones",
                        "zones:\n",
                        "- {name: devicesBeyondOneZone, value: \"a/b@0-1=999999999/999999999\"}\nzones:\n",
                        "an impossible number of devices"),
                arguments(
                        "CPUs with strides",
                        "value: 0-4",
                        "value: \"" + "0-65535:1/2,".repeat(50_000) + "\"",
                        "the NodeResourceTopology is too large"),
                arguments(
                        "the same, not as often",
                        "value: 0-4",
                        "value: \"" + "0-65535:1/2,".repeat(10_000) + "\"",
                        "its parts name more than 65536 ids"),
                arguments(
                        "more zones than any machine has",
                        "zones:\n",
                        "zones:\n"
                                + IntStream.range(2, 10_000)
                                        .mapToObj("- {name: node-%d, type: Node, resources: []}\n"::formatted)
                                        .collect(Collectors.joining()),
                        "an impossible number of zones"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("topologies")
    void aNodeResourceTopologyCostsOnlyItsNode(String what, String part, String bomb, String reason) throws Exception {
        String topology = ClusterYaml.node("n").split("---\n")[2].replace(part, bomb);
        client.resource(topology).createOr(existing -> existing.update());

        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(PodNames.ALL.text(node("n").reason())).contains(reason));
        assertThat(filter()).contains("m");
        assertThat(PodNames.ALL.text(node("n").reason())).hasSizeLessThan(1000);
    }
}
