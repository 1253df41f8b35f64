package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.ScalableResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.RealApiServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What the account of the clean-up may write, and that it may write nothing once its Job has ended, if Helm leaves the account. */
class CleanupPolicyTest {

    private static final String OBSERVED = "kai.scheduler/numa-placement-observed";
    private static final String GPUS = "numaledger.io/gpu-topology";

    @TempDir
    private static Path directory;

    private static RealApiServer server;
    private static KubernetesClient admin;
    private static KubernetesClient cleanup;
    private static JsonNode job;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "helm")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd and helm");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
        admin = client(server.token());
        ChartAccounts.install(
                server,
                Path.of(assets, "helm"),
                Helm.CHART,
                directory.resolve("accounts"),
                "cleanup.enabled=true,protectRecords.enabled=false");
        String answer = admin.raw(
                "/api/v1/namespaces/numa-system/serviceaccounts/numaledger-cleanup/token",
                "POST",
                Map.of("apiVersion", "authentication.k8s.io/v1", "kind", "TokenRequest"));
        cleanup = client(Serialization.unmarshal(answer, JsonNode.class)
                .at("/status/token")
                .asText());
        job = Helm.find().object("Job", "numaledger-cleanup", "--set=cleanup.enabled=true");
        for (String name : new String[] {"n", "probe"}) {
            admin.resource("apiVersion: v1\nkind: Node\nmetadata: {name: %s, annotations: {%s: x, example.com/a: b}}\n"
                            .formatted(name, GPUS))
                    .create();
        }
    }

    private static KubernetesClient client(String token) throws IOException {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(
                        Files.readString(server.kubeconfig()).replace(server.token(), token)))
                .build();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            cleanup.close();
            admin.close();
            server.close();
        }
    }

    @BeforeEach
    void startJobAndWait() {
        admin.resource("""
                apiVersion: v1
                kind: Pod
                metadata: {name: p, namespace: default, annotations: {%s: "[]", example.com/a: b}}
                spec: {containers: [{name: c, image: i}]}
                """.formatted(OBSERVED)).createOr(any -> any.update());
        if (jobs().get() == null) {
            admin.resource(job.toString()).create();
        }
        admin.resource(
                        "apiVersion: topology.node.k8s.io/v1alpha2\nkind: NodeResourceTopology\nmetadata: {name: n}\nzones: []\n")
                .createOr(any -> any.update());
        await("the policy knows that the Job runs")
                .atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThatThrownBy(
                                () -> annotate(node("probe"), "example.com/" + System.nanoTime(), "\"x\""))
                        .hasMessageContaining("may only remove annotations of the agents"));
    }

    private static ScalableResource<Job> jobs() {
        return admin.batch().v1().jobs().inNamespace("numa-system").withName("numaledger-cleanup");
    }

    private static HasMetadata node(String name) {
        return admin.nodes().withName(name).get();
    }

    private static HasMetadata pod() {
        return admin.pods().inNamespace("default").withName("p").get();
    }

    private static void annotate(HasMetadata object, String key, String value) {
        merge(object, "{\"metadata\":{\"annotations\":{\"%s\":%s}}}".formatted(key, value));
    }

    private static void merge(HasMetadata object, String patch) {
        cleanup.resource(object).patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    @Test
    void removesAnnotationsOfTheAgentsAndChangesNothingElse() {
        for (HasMetadata object : new HasMetadata[] {pod(), node("n")}) {
            assertThatThrownBy(() -> annotate(object, "example.com/a", "null"))
                    .hasMessageContaining("may only remove annotations of the agents");
            assertThatThrownBy(() -> merge(object, "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"))
                    .hasMessageContaining("may only remove annotations of the agents");
            assertThatThrownBy(() -> merge(object, "{\"metadata\":{\"finalizers\":[\"example.com/keep\"]}}"))
                    .hasMessageContaining("may only remove annotations of the agents");
        }
        assertThatThrownBy(() -> annotate(pod(), OBSERVED, "\"forged\"")).hasMessageContaining("may only remove");
        assertThatThrownBy(() -> merge(node("n"), "{\"spec\":{\"unschedulable\":true}}"))
                .hasMessageContaining("may only remove annotations of the agents");

        annotate(pod(), OBSERVED, "null");
        annotate(node("n"), GPUS, "null");
        cleanup.raw("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/n", "DELETE", null);

        assertThat(pod().getMetadata().getAnnotations()).containsOnlyKeys("example.com/a");
        assertThat(node("n").getMetadata().getAnnotations()).containsOnlyKeys("example.com/a");
    }

    @Test
    void writesNothingOnceTheJobHasFailed() {
        jobs().subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), """
                        {"status":{"startTime":"2026-01-01T00:00:00Z","conditions":[
                          {"type":"FailureTarget","status":"True","lastTransitionTime":"2026-01-01T00:00:01Z"},
                          {"type":"Failed","status":"True","lastTransitionTime":"2026-01-01T00:00:01Z"}]}}
                        """);

        refusesWrites();
        jobs().withGracePeriod(0).delete();
        refusesWrites();
    }

    private static void refusesWrites() {
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThatThrownBy(() -> annotate(node("probe"), "example.com/a", "\"b\""))
                        .hasMessageContaining("is forbidden"));
        assertThatThrownBy(() -> annotate(pod(), OBSERVED, "null")).hasMessageContaining("is forbidden");
        assertThatThrownBy(() ->
                        cleanup.raw("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/n", "DELETE", null))
                .hasMessageContaining("is forbidden");
    }
}
