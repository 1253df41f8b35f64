package io.numaledger.agent.chart;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.RealApiServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The rights and the admission policy of the chart on a real API server, for the agent of node {@code a} with a real token. */
class AdmissionPolicyTest {

    private static final String OBSERVED = "kai.scheduler/numa-placement-observed";

    @TempDir
    private static Path directory;

    private static RealApiServer server;
    private static KubernetesClient admin;
    private static KubernetesClient agent;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "helm")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd and helm");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
        Config config = Config.fromKubeconfig(Files.readString(server.kubeconfig()));
        admin = new KubernetesClientBuilder().withConfig(config).build();
        ChartAccounts accounts = ChartAccounts.install(
                server,
                Path.of(assets, "helm"),
                Path.of(System.getProperty("numaledger.root"), "charts", "numaledger"),
                directory.resolve("accounts"),
                "agent.podConditions=true",
                "protectRecords.enabled=false"); // a policy of its own, which may answer first
        objects();
        agent = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(accounts.agentPod("on-a"))))
                .build();
        await().atMost(Duration.ofMinutes(3)).until(() -> refused(() -> annotate(pod("b"), OBSERVED, "probe")));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            agent.close();
            admin.close();
            server.close();
        }
    }

    private static void objects() {
        for (String node : List.of("a", "b")) {
            admin.resource(new NodeBuilder()
                            .withNewMetadata()
                            .withName(node)
                            .endMetadata()
                            .build())
                    .create();
            createPod("default", node);
        }
        createPod("numa-system", "a");
    }

    private static void createPod(String namespace, String node) {
        admin.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName("on-" + node)
                        .withNamespace(namespace)
                        .addToAnnotations("other/key", "kept")
                        .endMetadata()
                        .withNewSpec()
                        .withNodeName(node)
                        .withServiceAccountName(namespace.equals("default") ? "default" : "numaledger-agent")
                        .addNewContainer()
                        .withName("main")
                        .withImage("example.com/app:1")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    @Test
    void anAgentAnnotatesThePodsOfItsNodeOnly() {
        annotate(pod("a"), OBSERVED, "[]");

        assertThat(pod("a").getMetadata().getAnnotations()).containsEntry(OBSERVED, "[]");
        assertThatThrownBy(() -> annotate(pod("b"), OBSERVED, "[]"))
                .hasMessageContaining("an agent may change only objects of its own node: node=a object=on-b");
    }

    @Test
    void anAgentWritesNoAnnotationOfOthers() {
        assertThatThrownBy(() -> annotate(pod("a"), "other/key", "forged"))
                .hasMessageContaining(
                        "an agent may change only the annotations numaledger.io/* of its node, and numaledger.io/placement and kai.scheduler/numa-placement-observed of pods");
        assertThatThrownBy(() -> annotate(pod("a"), "new/key", "forged")).hasMessageContaining("only the annotations");
        assertThatThrownBy(() -> annotate(pod("a"), "numaledger.io/planned-node", "b"))
                .hasMessageContaining("only the annotations");
    }

    @Test
    void anAgentChangesNothingButAnnotations() {
        assertThatThrownBy(() -> merge(pod("a"), "{\"metadata\":{\"labels\":{\"app\":\"forged\"}}}"))
                .hasMessageContaining("an agent may change annotations only");
    }

    @Test
    void anAgentWritesTheStatusOfItsOwnPodOnly() {
        setReady(admin.pods().inNamespace("numa-system").withName("on-a").get());

        assertThatThrownBy(() -> setReady(pod("a")))
                .hasMessageContaining("an agent may change the status of its own pod only");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"status\":{\"phase\":\"Succeeded\"}}",
                "{\"status\":{\"podIP\":\"10.9.9.9\",\"podIPs\":[{\"ip\":\"10.9.9.9\"}]}}",
                "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}"
            })
    void anAgentWritesItsOwnConditionsOnly(String patch) {
        Pod own = admin.pods().inNamespace("numa-system").withName("on-a").get();

        assertThatThrownBy(() -> agent.pods()
                        .resource(own)
                        .subresource("status")
                        .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch))
                .hasMessageContaining("only the conditions PodresourcesFetched and NodeTopologyUpdated");
    }

    @Test
    void anAgentAnnotatesItsOwnNodeOnly() {
        annotate(admin.nodes().withName("a").get(), "numaledger.io/gpu-topology", "x");

        Node other = admin.nodes().withName("b").get();
        assertThatThrownBy(() -> annotate(other, "numaledger.io/gpu-topology", "x"))
                .hasMessageContaining("node=a object=b");
    }

    @Test
    void anAgentWritesTheTopologyOfItsOwnNodeOnly() {
        merge(admin.resource(topology("a")).createOr(found -> found.update()), "{\"zones\":[]}");

        assertThatThrownBy(() -> agent.resource(topology("b")).create()).hasMessageContaining("node=a object=b");
    }

    @Test
    void anAgentSetsNoFinalizersAndNoOwnersButItsNode() {
        String finalizers = "{\"metadata\":{\"finalizers\":[\"example.com/keep\"]}}";
        String owners =
                "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"%s\",\"uid\":\"u\"}]}}";
        Node own = admin.nodes().withName("a").get();

        assertThatThrownBy(() -> merge(pod("a"), finalizers)).hasMessageContaining("may not change finalizers");
        assertThatThrownBy(() -> merge(own, finalizers)).hasMessageContaining("may not change finalizers");
        assertThatThrownBy(() -> merge(pod("a"), owners.formatted("a")))
                .hasMessageContaining("an agent may set no owner but its own node");
        assertThatThrownBy(() -> merge(own, owners.formatted("a")))
                .hasMessageContaining("an agent may set no owner but its own node");
        GenericKubernetesResource topology = admin.resource(topology("a")).createOr(found -> found.update());
        assertThatThrownBy(() -> merge(topology, owners.formatted("b")))
                .hasMessageContaining("an agent may set no owner but its own node");
        merge(topology, owners.formatted("a"));
    }

    @Test
    void othersAreNotConcerned() {
        admin.resource(pod("b"))
                .edit(pod -> new PodBuilder(pod)
                        .editMetadata()
                        .addToLabels("app", "any")
                        .endMetadata()
                        .build());

        assertThat(pod("b").getMetadata().getLabels()).containsEntry("app", "any");
    }

    private static boolean refused(Runnable write) {
        try {
            write.run();
            return false;
        } catch (KubernetesClientException e) {
            return true;
        }
    }

    private static Pod pod(String node) {
        return admin.pods().inNamespace("default").withName("on-" + node).get();
    }

    private static void annotate(HasMetadata object, String key, String value) {
        merge(object, "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}".formatted(key, value));
    }

    private static void merge(HasMetadata object, String patch) {
        agent.resource(object).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    private static void setReady(Pod pod) {
        agent.pods()
                .resource(pod)
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.STRATEGIC_MERGE),
                        new PodBuilder()
                                .withNewStatus()
                                .addNewCondition()
                                .withType("PodresourcesFetched")
                                .withStatus("True")
                                .endCondition()
                                .endStatus()
                                .build());
    }

    private static GenericKubernetesResource topology(String name) {
        GenericKubernetesResource topology = new GenericKubernetesResource();
        topology.setApiVersion("topology.node.k8s.io/v1alpha2");
        topology.setKind("NodeResourceTopology");
        topology.setMetadata(new ObjectMetaBuilder().withName(name).build());
        topology.setAdditionalProperty("zones", List.of());
        return topology;
    }
}
