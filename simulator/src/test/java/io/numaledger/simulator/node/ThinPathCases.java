package io.numaledger.simulator.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.agent.AgentMain;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.NodeTopologyJson;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The whole path, on either API server, with the agent's own program: kubelet's socket, sysfs tree, agent process, API server. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class ThinPathCases {

    enum Server {
        EMBEDDED,
        REAL
    }

    private static final String NODE = "thin";
    private static final String YAML = """
            nodes:
            - name: thin
              kubelet: {topologyManagerPolicy: single-numa-node, cpuManagerPolicy: static, memoryManagerPolicy: Static, reservedSystemCPUs: "0", reservedMemory: [{numaNode: 0, limits: {memory: 1Gi}}]}
              numaNodes:
              - {id: 0, socket: 0, cores: 8, threadsPerCore: 1, memory: 16Gi}
              - {id: 1, socket: 1, cores: 8, threadsPerCore: 1, memory: 16Gi}
              devices:
              - {resource: nvidia.com/gpu, count: 2, numaNodes: [0]}
              - {resource: nvidia.com/gpu, count: 2, numaNodes: [1]}
            """;
    private static final String NRTS = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/";
    private static final Duration SOON = Duration.ofMinutes(3);

    private final Server server;
    private Path directory;
    private Path kubeconfig;
    private Function<String, Path> agents = node -> kubeconfig;
    private AutoCloseable api;
    private Optional<EmbeddedApiServer> embedded = Optional.empty();
    private SimulatedNodes nodes;
    private KubernetesClient client;

    ThinPathCases(Server server) {
        this.server = server;
    }

    @BeforeAll
    void start(@TempDir Path temporary) throws IOException {
        directory = temporary;
        switch (server) {
            case EMBEDDED -> {
                EmbeddedApiServer started = EmbeddedApiServer.start();
                kubeconfig = started.writeKubeconfig(directory.resolve("kubeconfig"));
                embedded = Optional.of(started);
                api = started;
            }
            case REAL -> {
                String binaries = System.getenv("KUBEBUILDER_ASSETS");
                assumeTrue(
                        binaries != null, "KUBEBUILDER_ASSETS does not name a directory with etcd and kube-apiserver");
                RealApiServer started = RealApiServer.start(Path.of(binaries), directory.resolve("api"));
                kubeconfig = started.kubeconfig();
                api = started;
                Path helm = Path.of(binaries, "helm");
                assumeTrue(
                        Files.isExecutable(helm), "KUBEBUILDER_ASSETS has no helm, which renders the agent's rights");
                ChartAccounts accounts = ChartAccounts.install(
                        started, helm, Path.of("..", "charts", "numaledger"), directory.resolve("accounts"));
                agents = accounts::agent;
            }
        }
        List<NodeSpec> specs = NodeSpecYaml.parse(YAML);
        nodes = SimulatedNodes.start(kubeconfig, specs, directory, node -> ReportLag.none(), agents);
        client = nodes.client();
        await().atMost(SOON).until(() -> topology().isPresent());
    }

    @AfterAll
    void stop() throws Exception {
        if (nodes != null) {
            nodes.close();
        }
        if (api != null) {
            api.close();
        }
    }

    @AfterEach
    void removePods() {
        client.pods().inNamespace("default").withGracePeriod(0).delete();
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(client.pods().inNamespace("default").list().getItems()).isEmpty();
            assertThat(available(0, "cpu")).isEqualTo(7000);
            assertThat(available(1, "cpu")).isEqualTo(8000);
        });
    }

    @Test
    void publishesWhatPodsHoldAndWhatIsLeft() throws IOException {
        create("trainer", Map.of("cpu", "4", "memory", "2Gi", "nvidia.com/gpu", "2"));

        awaitObserved(
                "trainer",
                "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"4\",\"memory\":\"2147483648\",\"nvidia.com/gpu\":\"2\"}}]");
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(zone(0)).containsEntry("cpu", new ZoneResource(8000, 7000, 3000));
            assertThat(zone(0)).containsEntry("memory", new ZoneResource(16L << 30, 15L << 30, 13L << 30));
            assertThat(zone(0)).containsEntry("nvidia.com/gpu", new ZoneResource(2, 2, 0));
            assertThat(zone(1)).containsEntry("cpu", new ZoneResource(8000, 8000, 8000));
        });
        NodeTopology topology = topology().orElseThrow();
        assertThat(topology.attributes())
                .containsEntry("topologyManagerPolicy", "single-numa-node")
                .containsEntry("topologyManagerScope", "container");
        assertThat(topology.owner())
                .contains(NodeTopology.Owner.node(
                        NODE, client.nodes().withName(NODE).get().getMetadata().getUid()));
    }

    @Test
    void leavesAPodWithoutARecordThatTheKubeletRefused() {
        create("too-wide", Map.of("cpu", "9", "memory", "1Gi"));

        await().atMost(SOON)
                .until(() -> "Failed".equals(pod("too-wide").getStatus().getPhase()));
        assertThat(pod("too-wide").getStatus().getReason()).isEqualTo("TopologyAffinityError");
        create("fits", Map.of("cpu", "8", "memory", "1Gi"));
        awaitObserved("fits", "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"8\",\"memory\":\"1073741824\"}}]");
        assertThat(observed("too-wide")).isEmpty();
    }

    @Test
    void putsBackARecordThatWasTakenAwayOrForged() {
        create("p", Map.of("cpu", "2", "memory", "1Gi"));
        String record = "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\",\"memory\":\"1073741824\"}}]";
        awaitObserved("p", record);

        annotate("p", null);
        awaitObserved("p", record);
        annotate("p", "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"2\"}}]");
        awaitObserved("p", record);
        annotate("p", "garbage");
        awaitObserved("p", record);
    }

    @Test
    void takesAForgedRecordFromAPodThatHoldsNothing() {
        create("burst", Map.of());
        await().atMost(SOON)
                .until(() -> "Running".equals(pod("burst").getStatus().getPhase()));

        annotate("burst", "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"2\"}}]");

        await().atMost(SOON).until(() -> observed("burst").isEmpty());
        assertThat(pod("burst").getStatus().getPhase()).isEqualTo("Running");
    }

    @Test
    void putsBackTheTopologyThatWasEditedOrDeleted() throws IOException {
        NodeTopology before = topology().orElseThrow();
        String edited = NodeTopologyJson.write(new NodeTopology(
                NODE, before.owner(), new TreeMap<>(Map.of("topologyManagerPolicy", "none")), List.of()));
        edit(edited);
        await().atMost(SOON).until(() -> topology().equals(Optional.of(before)));

        client.raw(NRTS + NODE, "DELETE", null);
        await().atMost(SOON).until(() -> topology().equals(Optional.of(before)));
        assertThat(topology()).contains(before);
    }

    @Test
    void givesAPodThatCameBackUnderTheSameNameItsOwnRecord() {
        create("first", Map.of("cpu", "6", "memory", "1Gi"));
        awaitObserved("first", "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"6\",\"memory\":\"1073741824\"}}]");
        create("again", Map.of("cpu", "2", "memory", "1Gi"));
        awaitObserved("again", "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"2\",\"memory\":\"1073741824\"}}]");

        client.pods()
                .inNamespace("default")
                .withName("first")
                .withGracePeriod(0)
                .delete();
        await().atMost(SOON).until(() -> pod("first") == null);
        client.pods()
                .inNamespace("default")
                .withName("again")
                .withGracePeriod(0)
                .delete();
        await().atMost(SOON).until(() -> pod("again") == null);
        create("again", Map.of("cpu", "2", "memory", "1Gi"));

        awaitObserved("again", "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\",\"memory\":\"1073741824\"}}]");
    }

    @Test
    void writesNothingWhileNothingChanges() {
        assumeTrue(embedded.isPresent(), "only the embedded server tells its requests");
        create("quiet", Map.of("cpu", "2", "memory", "1Gi"));
        awaitObserved("quiet", "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\",\"memory\":\"1073741824\"}}]");
        await().atMost(SOON).until(() -> available(0, "cpu") == 5000);

        embedded.get().requests().clear();
        String agent = "numaledger-agent";
        await().during(Duration.ofSeconds(3))
                .atMost(SOON)
                .untilAsserted(() -> assertThat(embedded.get()
                                .requests()
                                .matching(request -> request.userAgent().startsWith(agent)))
                        .isEmpty());
    }

    @Test
    void oneDryPassPrintsWhatTheLoopWrote() throws IOException {
        create("p", Map.of("cpu", "2", "memory", "1Gi"));
        String record = "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\",\"memory\":\"1073741824\"}}]";
        awaitObserved("p", record);
        await().atMost(SOON).until(() -> available(0, "cpu") == 5000);

        PrintStream stdout = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        int status;
        try {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            status = AgentMain.execute(
                    "once",
                    "--dry-run",
                    "-o=json",
                    "-node-name=" + NODE,
                    "--podresources-socket=" + AgentProcess.socket(directory.resolve(NODE)),
                    "--sysfs-root=" + directory.resolve(NODE).resolve("hardware/sys"),
                    "--topology-manager-policy=single-numa-node",
                    "--topology-manager-scope=container",
                    "--cpu-manager-policy=static",
                    "--memory-manager-policy=Static");
        } finally {
            System.setOut(stdout);
        }

        List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(status).isZero();
        assertThat(NodeTopologyJson.read(lines.get(0)).zones())
                .isEqualTo(topology().orElseThrow().zones());
        assertThat(lines.get(1))
                .startsWith("{\"kind\":\"PodAnnotations\",\"namespace\":\"default\",\"name\":\"p\",\"annotations\":{")
                .contains(record.replace("\"", "\\\""));
    }

    private void create(String name, Map<String, String> resources) {
        Map<String, Quantity> quantities = new TreeMap<>();
        resources.forEach((resource, amount) -> quantities.put(resource, new Quantity(amount)));
        client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(NODE)
                        .addNewContainer()
                        .withName("main")
                        .withImage("simulated")
                        .withNewResources()
                        .withRequests(quantities)
                        .withLimits(quantities)
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    private void annotate(String name, String text) {
        client.pods().inNamespace("default").withName(name).edit(pod -> {
            PodBuilder edited = new PodBuilder(pod);
            return text == null
                    ? edited.editMetadata()
                            .removeFromAnnotations(Annotations.OBSERVED)
                            .endMetadata()
                            .build()
                    : edited.editMetadata()
                            .addToAnnotations(Annotations.OBSERVED, text)
                            .endMetadata()
                            .build();
        });
    }

    private void edit(String topology) {
        client.genericKubernetesResources("topology.node.k8s.io/v1alpha2", "NodeResourceTopology")
                .load(new java.io.ByteArrayInputStream(topology.getBytes(StandardCharsets.UTF_8)))
                .fieldManager("hand")
                .forceConflicts()
                .serverSideApply();
    }

    private Pod pod(String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    private Optional<String> observed(String name) {
        Map<String, String> annotations = pod(name).getMetadata().getAnnotations();
        return annotations == null ? Optional.empty() : Optional.ofNullable(annotations.get(Annotations.OBSERVED));
    }

    private void awaitObserved(String name, String text) {
        await().atMost(SOON).untilAsserted(() -> assertThat(observed(name)).contains(text));
    }

    private Optional<NodeTopology> topology() throws IOException {
        String text = client.raw(NRTS + NODE);
        return text == null ? Optional.empty() : Optional.of(NodeTopologyJson.read(text));
    }

    private Map<String, ZoneResource> zone(int id) throws IOException {
        return topology().orElseThrow().numaZones().get(id).resources();
    }

    private long available(int zone, String resource) throws IOException {
        return zone(zone).get(resource).available();
    }
}
