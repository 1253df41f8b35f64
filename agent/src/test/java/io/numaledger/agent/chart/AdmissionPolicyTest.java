package io.numaledger.agent.chart;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.realapiserver.RealApiServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The admission policy of the chart on a real API server, for the agent of node {@code a}. */
class AdmissionPolicyTest {

    private static final String ACCOUNT = "system:serviceaccount:numa-system:numaledger-agent";
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
        agent = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(config)
                        .withImpersonateUsername(ACCOUNT)
                        .withImpersonateExtras(Map.of(
                                "authentication.kubernetes.io%2fnode-name", List.of("a"),
                                "authentication.kubernetes.io%2fpod-name", List.of("on-a")))
                        .build())
                .build();
        objects();
        policy(Path.of(assets, "helm"));
        await().atMost(Duration.ofSeconds(30)).until(() -> refused(() -> annotate(pod("b"), OBSERVED, "probe")));
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
        // The account has all rights, so that only the policy can refuse a write.
        admin.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName("all-rights")
                        .endMetadata()
                        .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                        .addNewSubject()
                        .withKind("ServiceAccount")
                        .withName("numaledger-agent")
                        .withNamespace("numa-system")
                        .endSubject()
                        .build())
                .create();
        for (String node : List.of("a", "b")) {
            admin.resource(new NodeBuilder()
                            .withNewMetadata()
                            .withName(node)
                            .endMetadata()
                            .build())
                    .create();
            createPod("default", node);
        }
        admin.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName("numa-system")
                        .endMetadata()
                        .build())
                .create();
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
                        .addNewContainer()
                        .withName("main")
                        .withImage("example.com/app:1")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    private static void policy(Path helm) throws IOException, InterruptedException {
        Path chart = Path.of(System.getProperty("numaledger.root"), "charts", "numaledger");
        Path rendered = directory.resolve("policy.yaml");
        Process process = new ProcessBuilder(
                        helm.toString(),
                        "template",
                        "numaledger",
                        chart.toString(),
                        "--namespace=numa-system",
                        "--show-only=templates/agent/admission.yaml")
                .redirectOutput(rendered.toFile())
                .start();
        assertThat(process.waitFor()).isZero();
        try (InputStream in = Files.newInputStream(rendered)) {
            admin.load(in).create();
        }
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
                        "an agent may change only the annotations numaledger.io/* and kai.scheduler/numa-placement-observed");
        assertThatThrownBy(() -> annotate(pod("a"), "new/key", "forged")).hasMessageContaining("only the annotations");
    }

    @Test
    void anAgentChangesNothingButAnnotations() {
        assertThatThrownBy(() -> agent.resource(pod("a"))
                        .edit(pod -> new PodBuilder(pod)
                                .editMetadata()
                                .addToLabels("app", "forged")
                                .endMetadata()
                                .build()))
                .hasMessageContaining("an agent may change annotations only");
    }

    @Test
    void anAgentWritesTheStatusOfItsOwnPodOnly() {
        setReady(admin.pods().inNamespace("numa-system").withName("on-a").get());

        assertThatThrownBy(() -> setReady(pod("a")))
                .hasMessageContaining("an agent may change the status of its own pod only");
    }

    @Test
    void anAgentAnnotatesItsOwnNodeOnly() {
        annotate(admin.nodes().withName("a").get(), "numaledger.io/gpu-topology", "{}");

        Node other = admin.nodes().withName("b").get();
        assertThatThrownBy(() -> annotate(other, "numaledger.io/gpu-topology", "{}"))
                .hasMessageContaining("node=a object=b");
    }

    @Test
    void anAgentWritesTheTopologyOfItsOwnNodeOnly() {
        agent.resource(topology("a")).create();

        assertThatThrownBy(() -> agent.resource(topology("b")).create()).hasMessageContaining("node=a object=b");
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

    private static <T extends HasMetadata> void annotate(T object, String key, String value) {
        agent.resource(object).edit(latest -> {
            latest.getMetadata().getAnnotations().put(key, value);
            return latest;
        });
    }

    private static void setReady(Pod pod) {
        agent.resource(pod)
                .editStatus(latest -> new PodBuilder(latest)
                        .editStatus()
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
