package io.numaledger.bridge.chart;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
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
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** What a stolen token of the bridge cannot do, although RBAC allows it, on a real API server with the chart's policies. */
class BridgePolicyTest {

    private static final String OWN_CONDITION =
            "{\"type\":\"numaledger.io/SchedulingRetryRequested\",\"status\":\"True\",\"reason\":\"ZonesAvailable\"}";

    @TempDir
    private static Path directory;

    private static RealApiServer server;
    private static KubernetesClient admin;
    private static KubernetesClient stolen;

    @BeforeAll
    static void start() throws IOException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "helm")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd and helm");
        server = RealApiServer.start(Path.of(assets), directory.resolve("api"));
        admin = client(server.kubeconfig());
        stolen = client(ChartAccounts.install(
                        server,
                        Path.of(assets, "helm"),
                        Helm.CHART,
                        directory.resolve("accounts"),
                        "bridge.groups.enabled=true")
                .bridge());
        admin.resource("""
                apiVersion: v1
                kind: Node
                metadata: {name: a, labels: {topology.kubernetes.io/zone: z}}
                """).create();
        admin.resource("""
                apiVersion: apiregistration.k8s.io/v1
                kind: APIService
                metadata: {name: v1alpha1.numaledger.io}
                spec:
                  group: numaledger.io
                  version: v1alpha1
                  groupPriorityMinimum: 1000
                  versionPriority: 10
                  service: {name: numaledger-bridge, namespace: numa-system, port: 9443}
                """).create();
        pod("first", "");
        await("the policies are in force").atMost(Duration.ofMinutes(3)).untilAsserted(() -> {
            assertThatThrownBy(() -> patchStatus("first", "{\"status\":{\"message\":\"%s\"}}".formatted(unique())))
                    .hasMessageContaining("numaledger.io/SchedulingRetryRequested");
            assertThatThrownBy(() -> patch("first", "{\"metadata\":{\"labels\":{\"a\":\"%s\"}}}".formatted(unique())))
                    .hasMessageContaining("numaledger.io/group");
        });
    }

    private static String unique() {
        return "x" + System.nanoTime();
    }

    private static KubernetesClient client(Path kubeconfig) throws IOException {
        return new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(kubeconfig)))
                .build();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            stolen.close();
            admin.close();
            server.close();
        }
    }

    private static void pod(String name, String spec) {
        admin.resource("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default, labels: {app: web}, annotations: {example.com/a: b}}
                spec: {%s containers: [{name: c, image: example.com/app:1}]}
                """.formatted(name, spec)).create();
    }

    private static Pod read(String pod) {
        return admin.pods().inNamespace("default").withName(pod).get();
    }

    private static void patchStatus(String pod, String patch) {
        stolen.pods()
                .inNamespace("default")
                .withName(pod)
                .subresource("status")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch);
    }

    private static void patch(String pod, String patch) {
        stolen.pods().inNamespace("default").withName(pod).patch(PatchContext.of(PatchType.STRATEGIC_MERGE), patch);
    }

    // ---- the status of pods

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            phase             | {"status":{"phase":"Failed"}}                                           | may write only the condition
            address           | {"status":{"podIP":"10.9.9.9","podIPs":[{"ip":"10.9.9.9"}]}}            | may write only the condition
            other condition   | {"status":{"conditions":[{"type":"Ready","status":"True"}]}}            | may write only the condition
            removed condition | {"status":{"conditions":[{"type":"other","$patch":"delete"}]}}          | may write only the condition
            container states  | {"status":{"containerStatuses":[{"name":"c","image":"i","imageID":"i","ready":true,"restartCount":0}]}} | may write only the condition
            label             | {"metadata":{"labels":{"app":"other"}}}                                 | may not change metadata
            annotation        | {"metadata":{"annotations":{"kai.scheduler/numa-placement-observed":"[]"}}} | may not change metadata
            removed label     | {"metadata":{"labels":{"app":null}}}                                    | may not change metadata
            finalizer         | {"metadata":{"finalizers":["example.com/keep"]}}                        | may not change metadata
            """)
    void changesNothingElseOfAPendingPod(String what, String patch, String refusal) {
        String name = what.replace(' ', '-');
        pod(name, "");
        admin.pods()
                .inNamespace("default")
                .withName(name)
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.STRATEGIC_MERGE),
                        "{\"status\":{\"conditions\":[{\"type\":\"other\",\"status\":\"True\"}]}}");
        Pod before = read(name);

        assertThatThrownBy(() -> patchStatus(name, patch)).hasMessageContaining(refusal);

        assertThat(read(name)).isEqualTo(before);
    }

    @Test
    void asksForARetryOfAPendingPod() {
        pod("retried", "");
        admin.pods()
                .inNamespace("default")
                .withName("retried")
                .subresource("status")
                .patch(
                        PatchContext.of(PatchType.STRATEGIC_MERGE),
                        "{\"status\":{\"conditions\":[{\"type\":\"PodScheduled\",\"status\":\"False\"}]}}");

        patchStatus(
                "retried", "{\"status\":{\"nominatedNodeName\":\"a\",\"conditions\":[%s]}}".formatted(OWN_CONDITION));
        patchStatus("retried", "{\"status\":{\"conditions\":[%s]}}".formatted(OWN_CONDITION.replace("True", "False")));

        assertThat(read("retried").getStatus().getConditions())
                .extracting(PodCondition::getType)
                .containsExactlyInAnyOrder("PodScheduled", "numaledger.io/SchedulingRetryRequested");
        assertThat(read("retried").getStatus().getNominatedNodeName()).isEqualTo("a");
    }

    @Test
    void leavesTheStatusOfABoundPodAlone() {
        pod("bound", "nodeName: a,");

        assertThatThrownBy(() -> patchStatus("bound", "{\"status\":{\"conditions\":[%s]}}".formatted(OWN_CONDITION)))
                .hasMessageContaining("pending pods only: pod=default/bound");
    }

    // ---- bindings

    private static void bind(String pod, String metadata) {
        stolen.raw(
                "/api/v1/namespaces/default/pods/%s/binding".formatted(pod),
                "POST",
                Serialization.unmarshal("""
                        apiVersion: v1
                        kind: Binding
                        metadata: {name: %s, namespace: default, %s}
                        target: {apiVersion: v1, kind: Node, name: a}
                        """.formatted(pod, metadata), Map.class));
    }

    @Test
    void bindsWithPredictionsAndWithoutOtherAnnotationsAndLabels() {
        pod("to-bind", "");

        assertThatThrownBy(() -> bind("to-bind", "annotations: {example.com/forged: x}"))
                .hasMessageContaining("predicted placement records only");
        assertThatThrownBy(() -> bind("to-bind", "annotations: {kai.scheduler/numa-placement-observed: '[]'}"))
                .hasMessageContaining("predicted placement records only");
        assertThatThrownBy(() -> bind("to-bind", "labels: {example.com/forged: x}"))
                .hasMessageContaining("predicted placement records only");
        bind("to-bind", "annotations: {kai.scheduler/numa-placement-predicted: '[]'}");

        assertThat(read("to-bind").getSpec().getNodeName()).isEqualTo("a");
        assertThat(read("to-bind").getMetadata().getAnnotations())
                .containsOnlyKeys("example.com/a", "kai.scheduler/numa-placement-predicted");
    }

    // ---- events, leases, the APIService, Secrets

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "a kubelet's event, Pod, kubelet, refused",
        "an event about a node, Node, numaledger-bridge, refused",
        "its own event, Pod, numaledger-bridge, written"
    })
    void writesItsOwnEvents(String what, String kind, String component, String outcome) {
        String event = """
                apiVersion: v1
                kind: Event
                metadata: {generateName: e-, namespace: default}
                involvedObject: {apiVersion: v1, kind: %s, name: first, namespace: default}
                reason: Any
                message: any
                type: Warning
                source: {component: %s}
                reportingComponent: %2$s
                """.formatted(kind, component);

        if (outcome.equals("refused")) {
            assertThatThrownBy(() -> stolen.resource(event).create())
                    .hasMessageContaining("may write events as numaledger-bridge only");
        } else {
            stolen.resource(event).create();
        }
    }

    @Test
    void createsItsOwnLeaseOnly() {
        String lease =
                "apiVersion: coordination.k8s.io/v1\nkind: Lease\nmetadata: {name: %s, namespace: numa-system}\n";

        assertThatThrownBy(() -> stolen.resource(lease.formatted("other")).create())
                .hasMessageContaining("may create the Lease numaledger-bridge only");
        stolen.resource(lease.formatted("numaledger-bridge")).create();
    }

    private static void patchApiService(String patch) {
        stolen.apiServices().withName("v1alpha1.numaledger.io").patch(PatchContext.of(PatchType.JSON_MERGE), patch);
    }

    @Test
    void changesOnlyTheCaOfItsApiService() {
        assertThatThrownBy(() -> patchApiService("{\"spec\":{\"service\":{\"namespace\":\"default\"}}}"))
                .hasMessageContaining("may change only the caBundle");
        assertThatThrownBy(() -> patchApiService("{\"spec\":{\"insecureSkipTLSVerify\":true}}"))
                .hasMessageContaining("may change only the caBundle");
        assertThatThrownBy(() -> patchApiService("{\"metadata\":{\"annotations\":{\"example.com/a\":\"b\"}}}"))
                .hasMessageContaining("may not change metadata");
        patchApiService("{\"spec\":{\"caBundle\":\"LS0tLS1CRUdJTg==\"}}");

        assertThat(admin.apiServices()
                        .withName("v1alpha1.numaledger.io")
                        .get()
                        .getSpec()
                        .getCaBundle())
                .isEqualTo("LS0tLS1CRUdJTg==");
    }

    @Test
    void fillsItsSecretsAndLeavesTheirMetadataAlone() {
        var secret = admin.secrets()
                .inNamespace("numa-system")
                .withName("numaledger-bridge-client")
                .get();
        secret.setData(Map.of("ca.crt", "eA=="));
        stolen.resource(secret).update();
        var filled = admin.resource(secret).get();
        filled.getMetadata().setAnnotations(Map.of("example.com/copy-to-all-namespaces", "true"));

        assertThatThrownBy(() -> stolen.resource(filled).update()).hasMessageContaining("may not change metadata");
    }

    // ---- pods of groups

    private static final String GATED = "schedulingGates: [{name: numaledger.io/group}],";
    private static final String RELEASE = """
            {"metadata":{"annotations":{"numaledger.io/planned-node":"a"%s}%s},
             "spec":{"schedulingGates":[{"name":"numaledger.io/group","$patch":"delete"}],
                     "affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
                       {"matchFields":[{"key":"metadata.name","operator":"In","values":["a"]}]}]}}}%s}}""";

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            gated annotation | , "example.com/a": "other"| ''                                  | ''                            | may only write the annotations
            gated label      | ''                        | , "labels": {"app": "other"}        | ''                            | may only write the annotations
            gated owner      | ''                        | , "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}] | '' | may only write the annotations
            gated image      | ''                        | ''                                  | , "containers": [{"name": "c", "image": "other"}] | may only add a node affinity
            gated deadline   | ''                        | ''                                  | , "activeDeadlineSeconds": 1  | may only add a node affinity
            """)
    void releasesAGatedPodAndChangesNothingElse(
            String what, String annotation, String metadata, String spec, String refusal) {
        String name = what.replace(' ', '-');
        pod(name, GATED);

        assertThatThrownBy(() -> patch(name, RELEASE.formatted(annotation, metadata, spec)))
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining(refusal);
        patch(name, RELEASE.formatted("", "", ""));

        assertThat(read(name).getSpec().getSchedulingGates()).isEmpty();
    }
}
