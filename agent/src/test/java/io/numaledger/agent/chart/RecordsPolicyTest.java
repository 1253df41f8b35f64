package io.numaledger.agent.chart;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Subject;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
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
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The policy that protects placement records, as the chart installs it by default, on a real API server with real tokens. */
class RecordsPolicyTest {

    private static final String OBSERVED = "kai.scheduler/numa-placement-observed";
    private static final String PREDICTED = "kai.scheduler/numa-placement-predicted";
    private static final String PLACEMENT = "numaledger.io/placement";
    private static final String PLACEMENT_PREDICTED = "numaledger.io/placement-predicted";

    /**
     * One tenant has what makes up the role edit; no controller aggregates it here. The other may do everything in its namespace. The rights
     * of the others are those that Kubernetes and KAI-Scheduler grant.
     */
    private static final String ACCOUNTS = """
            - {user: tenant, role: "system:aggregate-to-edit", namespace: default}
            - {user: tenant-of-everything, role: cluster-admin, namespace: default}
            - {user: workload-controller, role: "system:controller:replicaset-controller"}
            - {user: kube-scheduler, role: "system:kube-scheduler"}
            - {user: kai-binder, role: kai-binder}
            - {user: kai-exporter, role: kai-numa-placement-exporter}
            - {user: administrator, role: cluster-admin}
            - {user: workload-operator, role: all-of-core}
            """;

    private static final String ROLES = """
            - apiVersion: rbac.authorization.k8s.io/v1
              kind: ClusterRole
              metadata: {name: kai-binder}
              rules:
                - {apiGroups: [""], resources: [pods], verbs: [get, list, watch, patch, update]}
                - {apiGroups: [""], resources: [pods/binding], verbs: [create, patch, update]}
                - {apiGroups: [""], resources: [pods/status], verbs: [get, list, watch, create, patch, update]}
            - apiVersion: rbac.authorization.k8s.io/v1
              kind: ClusterRole
              metadata: {name: kai-numa-placement-exporter}
              rules:
                - {apiGroups: [""], resources: [pods], verbs: [get, list, patch]}
            - apiVersion: rbac.authorization.k8s.io/v1
              kind: ClusterRole
              metadata: {name: all-of-core}
              rules:
                - {apiGroups: [""], resources: ["*"], verbs: ["*"]}
            """;

    @TempDir
    private static Path directory;

    private static RealApiServer server;
    private static String kubeconfig;
    private static KubernetesClient root;
    private static final Map<String, KubernetesClient> clients = new TreeMap<>();

    @BeforeAll
    static void start() throws IOException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "helm")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd and helm");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
        kubeconfig = Files.readString(server.kubeconfig());
        root = client(kubeconfig);
        ChartAccounts accounts = ChartAccounts.install(
                server,
                Path.of(assets, "helm"),
                Path.of(System.getProperty("numaledger.root"), "charts", "numaledger"),
                directory.resolve("accounts"));
        root.resource("apiVersion: v1\nkind: Node\nmetadata: {name: a}\n").create();
        pod(root, "on-a", "a", "");
        pod(root, "on-b", "b", "");
        clients.put("agent", client(Files.readString(accounts.agent("a"))));
        clients.put("bridge", client(Files.readString(accounts.bridge())));
        for (GenericKubernetesResource role : Serialization.unmarshal(ROLES, GenericKubernetesResource[].class)) {
            root.resource(role).create();
        }
        for (Map<?, ?> account : Serialization.unmarshal(ACCOUNTS, Map[].class)) {
            account((String) account.get("user"), (String) account.get("role"), account.containsKey("namespace"));
        }
        await("the policy is in force")
                .atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThatThrownBy(
                                () -> annotate("tenant", "on-b", OBSERVED, String.valueOf(System.nanoTime())))
                        .hasMessageContaining("placement records"));
    }

    private static KubernetesClient client(String kubeconfig) {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig))
                .build();
    }

    /** With the rights that Kubernetes itself gives the user. */
    private static KubernetesClient impersonating(String user, String... groups) {
        Config config = Config.fromKubeconfig(kubeconfig);
        config.setImpersonateUsername(user);
        config.setImpersonateGroups(groups);
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    /** An account with a role in all namespaces or in the namespace default, in a pod on node a. */
    private static void account(String user, String role, boolean inNamespace) {
        root.resource("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: %s, namespace: default}\n"
                        .formatted(user))
                .create();
        root.resource("""
                        apiVersion: rbac.authorization.k8s.io/v1
                        kind: %sRoleBinding
                        metadata: {name: "%s"%s}
                        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "%s"}
                        subjects: [{kind: ServiceAccount, name: %2$s, namespace: default}]
                        """.formatted(
                                inNamespace ? "" : "Cluster", user, inNamespace ? ", namespace: default" : "", role))
                .create();
        String uid = pod(root, "pod-of-" + user, "a", "").getMetadata().getUid();
        String answer = root.raw(
                "/api/v1/namespaces/default/serviceaccounts/%s/token".formatted(user),
                "POST",
                Serialization.unmarshal("""
                        apiVersion: authentication.k8s.io/v1
                        kind: TokenRequest
                        spec: {boundObjectRef: {apiVersion: v1, kind: Pod, name: pod-of-%s, uid: "%s"}}
                        """.formatted(user, uid), Map.class));
        Map<?, ?> status =
                (Map<?, ?>) Serialization.unmarshal(answer, Map.class).get("status");
        clients.put(user, client(kubeconfig.replace(server.token(), (String) status.get("token"))));
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            clients.values().forEach(KubernetesClient::close);
            root.close();
            server.close();
        }
    }

    private static Pod pod(KubernetesClient client, String name, String node, String annotations) {
        return (Pod) client.resource("""
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: "%s", namespace: default, annotations: {%s}}
                        spec: {nodeName: "%s", serviceAccountName: "%s", containers: [{name: c, image: i}]}
                        """.formatted(name, annotations, node, name.replace("pod-of-", "")))
                .create();
    }

    private static void annotate(String who, String pod, String key, String value) {
        clients.get(who)
                .resource(root.pods().inNamespace("default").withName(pod).get())
                .patch(
                        PatchContext.of(PatchType.JSON_MERGE),
                        "{\"metadata\":{\"annotations\":{\"%s\":%s}}}"
                                .formatted(key, value.isEmpty() ? "null" : "\"" + value + "\""));
    }

    private static void bind(String who, String pod, String key) {
        bind(who, "pods/%s/binding".formatted(pod), pod, key);
    }

    private static void bind(String who, String path, String pod, String key) {
        clients.get(who)
                .raw(
                        "/api/v1/namespaces/default/" + path,
                        "POST",
                        Serialization.unmarshal("""
                                apiVersion: v1
                                kind: Binding
                                metadata: {name: %s, namespace: default, annotations: {%s: "[]"}}
                                target: {apiVersion: v1, kind: Node, name: a}
                                """.formatted(pod, key), Map.class));
    }

    private static Set<String> annotations(String pod) {
        return root.pods()
                .inNamespace("default")
                .withName(pod)
                .get()
                .getMetadata()
                .getAnnotations()
                .keySet();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tenant", "tenant-of-everything"})
    void aTenantWritesAndRemovesNoRecords(String tenant) {
        pod(root, "of-" + tenant, "a", "\"%s\": \"[]\"".formatted(OBSERVED));

        for (String key : Set.of(OBSERVED, PREDICTED, PLACEMENT, PLACEMENT_PREDICTED)) {
            assertThatThrownBy(() -> annotate(tenant, "of-" + tenant, key, "forged"))
                    .hasMessageContaining("may create pods with them: annotations=" + key);
            assertThatThrownBy(() -> pod(clients.get(tenant), "forged", "", "\"%s\": x".formatted(key)))
                    .hasMessageContaining("may create pods with them: annotations=" + key);
        }
        assertThatThrownBy(() -> annotate(tenant, "of-" + tenant, OBSERVED, ""))
                .hasMessageContaining("annotations=" + OBSERVED);
        annotate(tenant, "of-" + tenant, "example.com/other", "x");
        pod(clients.get(tenant), "ordinary-of-" + tenant, "", "example.com/other: x");

        assertThat(annotations("of-" + tenant)).containsExactlyInAnyOrder(OBSERVED, "example.com/other");
    }

    @Test
    void aTenantThatMayBindInItsNamespaceBindsWithoutRecords() {
        pod(root, "bound-by-tenant", "", "");

        assertThatThrownBy(() -> bind("tenant-of-everything", "bound-by-tenant", PREDICTED))
                .hasMessageContaining("may create pods with them: annotations=" + PREDICTED);
        bind("tenant-of-everything", "bound-by-tenant", "example.com/any");
    }

    /** The path that the API server serves for old schedulers. */
    @Test
    void aTenantBindsWithoutRecordsByTheOldPathToo() {
        pod(root, "bound-by-the-old-path", "", "");

        assertThatThrownBy(() -> bind("tenant-of-everything", "bindings", "bound-by-the-old-path", PREDICTED))
                .hasMessageContaining("may create pods with them: annotations=" + PREDICTED);
        bind("tenant-of-everything", "bindings", "bound-by-the-old-path", "example.com/any");
    }

    /** The policy has no rule for these: the API server takes nothing but resources and containers from them. */
    @ParameterizedTest
    @ValueSource(strings = {"resize", "ephemeralcontainers"})
    void noOtherRequestForAPodBringsAnnotations(String subresource) {
        Pod pod = pod(root, "sent-to-" + subresource, "a", "example.com/any: x");
        pod.getMetadata().setAnnotations(Map.of(OBSERVED, "x"));

        clients.get("tenant-of-everything")
                .raw(
                        "/api/v1/namespaces/default/pods/%s/%s"
                                .formatted(pod.getMetadata().getName(), subresource),
                        "PUT",
                        pod);

        assertThat(annotations(pod.getMetadata().getName())).containsExactly("example.com/any");
    }

    /** The daemon-set-controller may bind pods in all namespaces, as a scheduler. */
    @Test
    void noControllerCreatesPodsWithRecordsFromATenantsTemplate() {
        Set<String> refused = new TreeSet<>();
        for (ClusterRoleBinding binding : root.rbac()
                .clusterRoleBindings()
                .withLabel("kubernetes.io/bootstrapping", "rbac-defaults")
                .list()
                .getItems()) {
            for (Subject subject : Optional.ofNullable(binding.getSubjects()).orElse(List.of())) {
                if (subject.getKind().equals("ServiceAccount")
                        && createsNoRecords(
                                "system:serviceaccount:%s:%s".formatted(subject.getNamespace(), subject.getName()))) {
                    refused.add(subject.getName());
                }
            }
        }

        assertThat(refused)
                .contains(
                        "daemon-set-controller",
                        "job-controller",
                        "replicaset-controller",
                        "replication-controller",
                        "statefulset-controller");
    }

    /** @return whether the account may create pods at all */
    private static boolean createsNoRecords(String user) {
        try (KubernetesClient account = impersonating(user)) {
            Pod ordinary = pod(account, "from-ordinary-template", "", "example.com/any: x");
            root.resource(ordinary).delete();
            for (String key : Set.of(OBSERVED, PREDICTED, PLACEMENT, PLACEMENT_PREDICTED)) {
                assertThatThrownBy(() -> pod(account, "from-template", "", "\"%s\": x".formatted(key)))
                        .as(user)
                        .hasMessageContaining("annotations=" + key + "; remove them, or list the account");
            }
            return true;
        } catch (KubernetesClientException e) {
            assertThat(e.getMessage()).as(user).contains("cannot create resource \"pods\"");
            return false;
        }
    }

    @Test
    void aKubeletCreatesNoMirrorPodWithRecords() {
        try (KubernetesClient kubelet = impersonating("system:node:a", "system:nodes")) {
            String mirror = "kubernetes.io/config.mirror: x";

            assertThatThrownBy(() -> pod(kubelet, "mirror", "a", mirror + ", \"%s\": x".formatted(PLACEMENT)))
                    .hasMessageContaining("annotations=" + PLACEMENT);
            assertThat(pod(kubelet, "mirror", "a", mirror).getMetadata().getName())
                    .isEqualTo("mirror");
        }
    }

    /** An operator of workloads whose rights on the core group are not narrowed. */
    @Test
    void anOperatorThatMayDoEverythingWithPodsCreatesNoneWithRecords() {
        assertThatThrownBy(
                        () -> pod(clients.get("workload-operator"), "of-operator", "", "\"%s\": x".formatted(OBSERVED)))
                .hasMessageContaining("annotations=" + OBSERVED);
        pod(clients.get("workload-operator"), "of-operator", "", "example.com/any: x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"agent", "kai-exporter"})
    void whoMayPatchAllPodsWritesObservedRecordsOfItsNode(String exporter) {
        annotate(exporter, "on-a", OBSERVED, "by-" + exporter);

        assertThat(annotations("on-a")).contains(OBSERVED);
        assertThatThrownBy(() -> annotate(exporter, "on-b", OBSERVED, "x"))
                .isInstanceOf(KubernetesClientException.class);
        assertThatThrownBy(() -> annotate(exporter, "on-a", PREDICTED, "x"))
                .isInstanceOf(KubernetesClientException.class);
        annotate("tenant", "on-a", "example.com/after", "x");
        assertThat(annotations("on-a")).contains(OBSERVED, "example.com/after");
    }

    @Test
    void aControllerOnAnotherNodeWritesNoObservedRecords() {
        assertThatThrownBy(() -> annotate("workload-controller", "on-b", OBSERVED, "x"))
                .hasMessageContaining("annotations=" + OBSERVED);
    }

    @Test
    void kaisBinderPredictsAndBinds() {
        pod(root, "of-kai", "", "");

        annotate("kai-binder", "of-kai", PREDICTED, "[]");
        bind("kai-binder", "of-kai", "example.com/any");

        assertThat(annotations("of-kai")).contains(PREDICTED, "example.com/any");
    }

    @ParameterizedTest
    @ValueSource(strings = {"bridge", "kube-scheduler", "administrator"})
    void aSchedulerBindsWithAPrediction(String scheduler) {
        pod(root, "bound-by-" + scheduler, "", "");

        bind(scheduler, "bound-by-" + scheduler, PREDICTED);

        assertThat(annotations("bound-by-" + scheduler)).contains(PREDICTED);
    }

    @Test
    void aBackupIsRestoredWithItsRecords() {
        assertThat(pod(clients.get("administrator"), "restored", "", "\"%s\": x".formatted(OBSERVED))
                        .getMetadata()
                        .getAnnotations())
                .containsKey(OBSERVED);
    }
}
