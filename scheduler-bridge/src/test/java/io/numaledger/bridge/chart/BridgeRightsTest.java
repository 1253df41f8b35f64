package io.numaledger.bridge.chart;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.authorization.v1.ResourceRule;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectRulesReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.BridgeOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The rights of the bridge in the chart, on a real API server with RBAC: they are sufficient and minimal. */
class BridgeRightsTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    @TempDir
    private static Path directory;

    private static RealApiServer server;
    private static KubernetesClient admin;
    private static KubernetesClient account;

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
                directory.resolve("accounts"));
        account = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(accounts.bridge())))
                .build();
    }

    @AfterAll
    static void stop() {
        if (server != null) {
            account.close();
            admin.close();
            server.close();
        }
    }

    @Test
    void mayDoWhatItDoesAndNothingElse() {
        TreeSet<String> rights = new TreeSet<>();
        for (ResourceRule rule : account.resource(new SelfSubjectRulesReviewBuilder()
                        .withNewSpec()
                        .withNamespace("default")
                        .endSpec()
                        .build())
                .create()
                .getStatus()
                .getResourceRules()) {
            rule.getResources().forEach(resource -> rule.getVerbs().forEach(verb -> rights.add(verb + " " + resource)));
        }
        // Every account may read them from Kubernetes 1.37 on.
        rights.removeAll(List.of("get clustertrustbundles", "list clustertrustbundles", "watch clustertrustbundles"));

        assertThat(rights)
                .containsExactly(
                        "create events",
                        "create pods/binding",
                        "create selfsubjectaccessreviews",
                        "create selfsubjectreviews",
                        "create selfsubjectrulesreviews",
                        "create subjectaccessreviews",
                        "get apiservices",
                        "get pods",
                        "list bindrequests",
                        "list deviceclasses",
                        "list noderesourcetopologies",
                        "list nodes",
                        "list poddisruptionbudgets",
                        "list pods",
                        "list resourceclaims",
                        "list resourceslices",
                        "patch apiservices",
                        "patch pods/status",
                        "watch bindrequests",
                        "watch deviceclasses",
                        "watch noderesourcetopologies",
                        "watch nodes",
                        "watch poddisruptionbudgets",
                        "watch pods",
                        "watch resourceclaims",
                        "watch resourceslices");
    }

    @Test
    void readsBindsAndWritesEventsWithTheChartsRights() throws IOException, InterruptedException {
        node("a");
        pod("fits", "2");
        pod("large", "6");
        BridgeOptions options = BridgeOptions.plainHttp(0, "--hold-after=1ns");
        try (Bridge bridge = new Bridge(options, account)) {
            bridge.start();
            await().atMost(TIMEOUT).until(bridge::isReady);
            await().atMost(TIMEOUT)
                    .until(() -> bridge.cluster().pods().get("default/large").isPresent());
            String bound = bind(bridge, "fits");
            String filtered = filter(bridge, "large");

            assertThat(bound).isEqualTo("{\"Error\":\"\"}");
            assertThat(read("fits").getSpec().getNodeName()).isEqualTo("a");
            assertThat(read("fits").getMetadata().getAnnotations())
                    .containsEntry(
                            "kai.scheduler/numa-placement-predicted",
                            "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\"}}]");
            assertThat(filtered)
                    .contains("\"NodeNames\":[]")
                    .contains("NUMA: the Topology Manager policy does not allow 6 cpu");
            await().atMost(TIMEOUT)
                    .until(() -> admin.v1().events().inNamespace("default").list().getItems().stream()
                            .map(Event::getReason)
                            .anyMatch("NumaUnschedulable"::equals));
            requeuesAPodThatWasRefusedForAnOlderOne(bridge);
        }
    }

    /** Zone 0 has 1 CPU free and zone 1 has 4, until other pods change that. */
    private static void requeuesAPodThatWasRefusedForAnOlderOne(Bridge bridge)
            throws IOException, InterruptedException {
        pod("holder", "4");
        pod("waits", "3");
        pod("waits-less", "2");
        await().atMost(TIMEOUT)
                .until(() -> bridge.cluster().pods().get("default/waits-less").isPresent());
        assertThat(bind(bridge, "holder")).isEqualTo("{\"Error\":\"\"}");
        assertThat(filter(bridge, "waits")).contains("NUMA: no zone can take 3 cpu");

        admin.resource(read("fits")).withGracePeriod(0).delete();
        await().atMost(TIMEOUT)
                .until(() -> filter(bridge, "waits-less").contains("NUMA: reserved for an older pending pod"));
        admin.resource(read("waits")).withGracePeriod(0).delete();

        await().atMost(TIMEOUT)
                .until(() -> read("waits-less").getStatus().getConditions().stream()
                        .map(PodCondition::getType)
                        .anyMatch("numaledger.io/SchedulingRetryRequested"::equals));
        assertThat(filter(bridge, "waits-less")).contains("\"NodeNames\":[\"a\"]");
    }

    @Test
    void chargesPodsThatKaiIsAboutToBind() throws IOException, InterruptedException {
        node("kai");
        pod("of-kai", "4");
        pod("other", "4");
        BridgeOptions options = BridgeOptions.plainHttp(0);
        try (Bridge bridge = new Bridge(options, account)) {
            bridge.start();
            await().atMost(TIMEOUT).until(bridge::isReady);
            await().atMost(TIMEOUT).until(() -> filter(bridge, "other", "kai").contains("\"NodeNames\":[\"kai\"]"));
        }
        defineBindRequests();
        GenericKubernetesResource request = bindRequest("of-kai", "kai");

        try (Bridge bridge = new Bridge(options, account)) {
            bridge.start();
            await().atMost(TIMEOUT).until(bridge::isReady);
            assertThat(filter(bridge, "other", "kai")).contains("NUMA: no zone can take 4 cpu");

            admin.resource(request).delete();
            await().atMost(TIMEOUT).until(() -> filter(bridge, "other", "kai").contains("\"NodeNames\":[\"kai\"]"));
        }
    }

    private static void defineBindRequests() {
        admin.load(new ByteArrayInputStream("""
                        apiVersion: apiextensions.k8s.io/v1
                        kind: CustomResourceDefinition
                        metadata: {name: bindrequests.scheduling.run.ai}
                        spec:
                          group: scheduling.run.ai
                          names: {kind: BindRequest, plural: bindrequests, singular: bindrequest, listKind: BindRequestList}
                          scope: Namespaced
                          versions:
                          - name: v1alpha2
                            served: true
                            storage: true
                            schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
                        """.getBytes(StandardCharsets.UTF_8)))
                .create();
        await().atMost(TIMEOUT).until(() -> admin.getApiResources("scheduling.run.ai/v1alpha2") != null);
    }

    private static GenericKubernetesResource bindRequest(String pod, String node) {
        return admin.resource(Serialization.unmarshal("""
                        apiVersion: scheduling.run.ai/v1alpha2
                        kind: BindRequest
                        metadata: {name: %1$s, namespace: default}
                        spec:
                          podName: %1$s
                          selectedNode: %2$s
                          predictedNUMAZones: [{zone: node-1, amount: {cpu: "4"}}]
                        """.formatted(pod, node), GenericKubernetesResource.class))
                .create();
    }

    private static String bind(Bridge bridge, String pod) throws IOException, InterruptedException {
        return post(
                bridge,
                "/bind",
                "{\"PodName\":\"%s\",\"PodNamespace\":\"default\",\"PodUID\":\"%s\",\"Node\":\"a\"}"
                        .formatted(pod, read(pod).getMetadata().getUid()));
    }

    private static String filter(Bridge bridge, String pod) throws IOException, InterruptedException {
        return filter(bridge, pod, "a");
    }

    private static String filter(Bridge bridge, String pod, String node) throws IOException, InterruptedException {
        return post(
                bridge,
                "/filter",
                "{\"Pod\":%s,\"NodeNames\":[\"%s\"]}".formatted(Serialization.asJson(read(pod)), node));
    }

    private static String post(Bridge bridge, String path, String body) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:" + bridge.address().getPort() + path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static Pod read(String name) {
        return admin.pods().inNamespace("default").withName(name).get();
    }

    private static void pod(String name, String cpus) {
        Map<String, Quantity> amounts = Map.of("cpu", new Quantity(cpus), "memory", new Quantity("1Gi"));
        admin.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .addNewContainer()
                        .withName("main")
                        .withImage("example.com/app:1")
                        .withNewResources()
                        .withLimits(amounts)
                        .withRequests(amounts)
                        .endResources()
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
    }

    /** Two zones of four CPUs, CPU 0 reserved; policy single-numa-node. */
    private static void node(String name) {
        admin.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        admin.resource(Serialization.unmarshal("""
                        apiVersion: topology.node.k8s.io/v1alpha2
                        kind: NodeResourceTopology
                        metadata: {name: %s}
                        attributes:
                        - {name: topologyManagerPolicy, value: single-numa-node}
                        - {name: topologyManagerScope, value: container}
                        - {name: cpuManagerPolicy, value: static}
                        - {name: memoryManagerPolicy, value: None}
                        zones:
                        - name: node-0
                          type: Node
                          attributes: [{name: cpus, value: 0-3}, {name: reservedSystemCPUs, value: "0"}]
                          resources: [{name: cpu, capacity: "4", allocatable: "3", available: "3"}]
                        - name: node-1
                          type: Node
                          attributes: [{name: cpus, value: 4-7}, {name: reservedSystemCPUs, value: ""}]
                          resources: [{name: cpu, capacity: "4", allocatable: "4", available: "4"}]
                        """.formatted(name), GenericKubernetesResource.class))
                .create();
    }
}
