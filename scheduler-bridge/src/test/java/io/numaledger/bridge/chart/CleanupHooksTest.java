package io.numaledger.bridge.chart;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.apiservers.real.RealApiServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What the real helm leaves of the clean-up after a release, on a real API server. The test plays the controller of Jobs. */
class CleanupHooksTest {

    private static final String NAME = "numaledger-cleanup";
    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    @TempDir
    private static Path directory;

    private static Helm helm;
    private static RealApiServer server;
    private static KubernetesClient admin;

    @BeforeAll
    static void start() throws IOException {
        helm = Helm.find();
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "kube-apiserver")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver and etcd");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
        admin = client(Files.readString(server.kubeconfig()));
        admin.resource("apiVersion: v1\nkind: Namespace\nmetadata: {name: numa-system}\n")
                .create();
    }

    private static KubernetesClient client(String kubeconfig) {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig))
                .build();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            admin.close();
            server.close();
        }
    }

    @AfterEach
    void deleteJob() {
        admin.batch().v1().jobs().inNamespace("numa-system").withGracePeriod(0).delete();
    }

    private static Helm.Result helm(String verb, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(verb, "numaledger"));
        command.addAll(List.of(arguments));
        command.addAll(List.of("--namespace=numa-system", "--kubeconfig=" + server.kubeconfig()));
        return helm.run(command);
    }

    /** Uninstalls, and returns when the Job of the clean-up exists. */
    private static CompletableFuture<Helm.Result> uninstall(String... flags) throws IOException, InterruptedException {
        Helm.Result installed =
                helm("install", Helm.CHART.toString(), "--set=mode=kai,cleanup.enabled=true", "--skip-crds");
        assertThat(installed.status()).as(installed.output()).isZero();
        CompletableFuture<Helm.Result> uninstalled = CompletableFuture.supplyAsync(() -> {
            try {
                return helm("uninstall", flags);
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(TIMEOUT).until(() -> job() != null || uninstalled.isDone());
        assertThat(uninstalled).isNotDone();
        return uninstalled;
    }

    private static Job job() {
        return admin.batch()
                .v1()
                .jobs()
                .inNamespace("numa-system")
                .withName(NAME)
                .get();
    }

    private static void end(String condition, String precondition) {
        admin.batch()
                .v1()
                .jobs()
                .inNamespace("numa-system")
                .withName(NAME)
                .subresource("status")
                .patch(PatchContext.of(PatchType.JSON_MERGE), """
                        {"status":{"startTime":"2026-01-01T00:00:00Z"%s,"conditions":[
                          {"type":"%s","status":"True","lastTransitionTime":"2026-01-01T00:00:01Z"},
                          {"type":"%s","status":"True","lastTransitionTime":"2026-01-01T00:00:01Z"}]}}
                        """.formatted(
                                condition.equals("Complete") ? ",\"completionTime\":\"2026-01-01T00:00:01Z\"" : "",
                                precondition,
                                condition));
    }

    /** The account, and what gives it rights or limits them. */
    private static List<String> rights() {
        return List.of(
                        ServiceAccount.class,
                        ClusterRole.class,
                        ClusterRoleBinding.class,
                        ValidatingAdmissionPolicy.class,
                        ValidatingAdmissionPolicyBinding.class)
                .stream()
                .map(kind -> kind == ServiceAccount.class
                        ? admin.serviceAccounts()
                                .inNamespace("numa-system")
                                .withName(NAME)
                                .get()
                        : admin.resources(kind.asSubclass(HasMetadata.class))
                                .withName(NAME)
                                .get())
                .filter(Objects::nonNull)
                .map(HasMetadata::getKind)
                .toList();
    }

    @Test
    void theRightsEndWithAJobThatFails() throws Exception {
        CompletableFuture<Helm.Result> uninstalled = uninstall();
        assertThat(rights()).hasSize(5);

        end("Failed", "FailureTarget");

        assertThat(uninstalled.get().status()).isNotZero();
        assertThat(rights()).isEmpty();
        assertThat(job()).as("its pod has the log").isNotNull();
    }

    @Test
    void nothingStaysOfAJobThatSucceeds() throws Exception {
        CompletableFuture<Helm.Result> uninstalled = uninstall();

        end("Complete", "SuccessCriteriaMet");

        assertThat(uninstalled.get().status()).isZero();
        assertThat(rights()).isEmpty();
        assertThat(job()).isNull();
    }

    @Test
    void theRightsEndIfHelmDoesNotWaitForTheJob() throws Exception {
        CompletableFuture<Helm.Result> uninstalled = uninstall("--timeout=2s");

        assertThat(uninstalled.get().status()).isNotZero();
        assertThat(rights()).isEmpty();
    }
}
