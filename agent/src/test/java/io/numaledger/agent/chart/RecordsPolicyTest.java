package io.numaledger.agent.chart;

import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.realapiserver.ChartAccounts;
import io.numaledger.realapiserver.RealApiServer;
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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The policy that protects placement records, on a real API server: its administrator is a user like any other. */
class RecordsPolicyTest {

    private static final String OBSERVED = "kai.scheduler/numa-placement-observed";
    private static final String PREDICTED = "kai.scheduler/numa-placement-predicted";

    @TempDir
    private static Path directory;

    private static RealApiServer server;
    private static KubernetesClient admin;
    private static KubernetesClient agent;
    private static KubernetesClient bridge;

    @BeforeAll
    static void start() throws IOException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "helm")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd and helm");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
        admin = client(server.kubeconfig());
        ChartAccounts accounts = ChartAccounts.install(
                server,
                Path.of(assets, "helm"),
                Path.of(System.getProperty("numaledger.root"), "charts", "numaledger"),
                directory.resolve("accounts"),
                "protectRecords.enabled=true");
        admin.resource("apiVersion: v1\nkind: Node\nmetadata: {name: a}\n").create();
        agent = client(accounts.agent("a"));
        bridge = client(accounts.bridge());
        pod("on-a", "a", "");
        pod("on-b", "b", "");
        pod("pending", "", "");
        await("the policy is in force")
                .atMost(Duration.ofSeconds(60))
                .ignoreExceptionsMatching(KubernetesClientException.class::isInstance)
                .until(() -> {
                    try {
                        annotate(admin, "on-b", OBSERVED, String.valueOf(System.nanoTime()));
                        return false;
                    } catch (KubernetesClientException e) {
                        return e.getMessage().contains("placement records");
                    }
                });
    }

    private static KubernetesClient client(Path kubeconfig) throws IOException {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(kubeconfig)))
                .build();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            bridge.close();
            agent.close();
            admin.close();
            server.close();
        }
    }

    private static Pod pod(String name, String node, String annotations) {
        return (Pod) admin.resource("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: %s, namespace: default, annotations: {%s}}
                        spec: {nodeName: "%s", containers: [{name: c, image: i}]}
                        """.formatted(name, annotations, node)).create();
    }

    private static void annotate(KubernetesClient client, String pod, String key) {
        annotate(client, pod, key, "[]");
    }

    private static void annotate(KubernetesClient client, String pod, String key, String value) {
        client.resource(admin.pods().inNamespace("default").withName(pod).get())
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"%s\":\"%s\"}}}".formatted(key, value));
    }

    @ParameterizedTest
    @ValueSource(strings = {OBSERVED, PREDICTED, "numaledger.io/placement", "numaledger.io/placement-predicted"})
    void aUserWritesNoRecords(String key) {
        assertThatThrownBy(() -> annotate(admin, "on-a", key))
                .hasMessageContaining(
                        "only the agent of the pod's node and schedulers may write placement records: annotations="
                                + key);
        assertThatThrownBy(() -> pod("forged", "", "\"%s\": x".formatted(key)))
                .hasMessageContaining("placement records: annotations=" + key);
        Binding forged = new BindingBuilder()
                .withNewMetadata()
                .withName("pending")
                .withNamespace("default")
                .addToAnnotations(key, "[]")
                .endMetadata()
                .withNewTarget()
                .withKind("Node")
                .withName("a")
                .endTarget()
                .build();
        assertThatThrownBy(() -> admin.raw("/api/v1/namespaces/default/pods/pending/binding", "POST", forged))
                .hasMessageContaining("placement records: annotations=" + key);
    }

    @Test
    void aUserWritesEverythingElse() {
        annotate(admin, "on-a", "example.com/other");

        assertThat(read("on-a")).contains("example.com/other");
        assertThat(pod("ordinary", "", "example.com/other: x").getMetadata().getUid())
                .isNotEmpty();
    }

    @Test
    void theAgentWritesTheRecordsOfItsNode() {
        annotate(agent, "on-a", OBSERVED);

        assertThat(read("on-a")).contains(OBSERVED);
        assertThatThrownBy(() -> annotate(agent, "on-b", OBSERVED)).isInstanceOf(KubernetesClientException.class);
        annotate(admin, "on-a", "example.com/after");
        assertThat(read("on-a")).contains(OBSERVED, "example.com/after");
    }

    @Test
    void theBridgeBindsWithAPrediction() {
        Pod pod = pod("bound", "", "");
        Binding binding = new BindingBuilder()
                .withNewMetadata()
                .withName("bound")
                .withNamespace("default")
                .withUid(pod.getMetadata().getUid())
                .addToAnnotations(PREDICTED, "[]")
                .endMetadata()
                .withNewTarget()
                .withKind("Node")
                .withName("a")
                .endTarget()
                .build();

        bridge.raw("/api/v1/namespaces/default/pods/bound/binding", "POST", binding);

        assertThat(read("bound")).contains(PREDICTED);
    }

    private static Iterable<String> read(String pod) {
        return admin.pods()
                .inNamespace("default")
                .withName(pod)
                .get()
                .getMetadata()
                .getAnnotations()
                .keySet();
    }
}
