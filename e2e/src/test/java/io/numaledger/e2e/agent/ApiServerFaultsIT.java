package io.numaledger.e2e.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.e2e.support.RunningAgent;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.cluster.SimNode;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.oracle.PublishedComparison;
import io.numaledger.simulator.proxy.FaultyProxy;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * A real API server refuses and disturbs; afterwards what is published is right again. By which mechanism: 409 by an
 * admission webhook, since no write of the agent can conflict of itself; 422 by a patch that is kept back until its pod is another
 * one; 429 by API priority and fairness; 503 by an aggregated API whose service is not there; an expired resourceVersion by compaction of etcd; cut connections and slow answers by a TCP proxy.
 */
class ApiServerFaultsIT {

    private static final String NRT = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";

    private static SimCluster cluster;
    private static ChartAccounts accounts;
    private static ClusterPods pods;
    private static PublishedComparison published;
    private static FaultyProxy proxy;
    private static Path agentKubeconfig;
    private RunningAgent agent;

    @BeforeAll
    static void startCluster() throws IOException {
        cluster = SimCluster.builder(RealKubernetes.binaries())
                .nodes(NodeSpecYaml.parse("""
                                nodes:
                                - name: node
                                  numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
                                """))
                // Its memory of events would outlive what is compacted away.
                .apiServerArguments(List.of("--watch-cache-sizes=pods#0"))
                .start();
        accounts = ChartRights.install(cluster);
        pods = new ClusterPods(cluster);
        published = new PublishedComparison(cluster);
        URI api = cluster.apiServer().url();
        proxy = new FaultyProxy(new InetSocketAddress(api.getHost(), api.getPort()));
        agentKubeconfig = cluster.directory().resolve("agent.kubeconfig");
        Files.writeString(
                agentKubeconfig,
                Files.readString(accounts.agent("node")).replace(":" + api.getPort(), ":" + proxy.port()));
    }

    private static List<? extends HasMetadata> apply(String yaml) {
        return cluster.client()
                .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
                .resources()
                .map(resource -> resource.forceConflicts().serverSideApply())
                .toList();
    }

    @AfterAll
    static void stopCluster() throws IOException {
        if (proxy != null) {
            proxy.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void startAgent() {
        SimNode node = cluster.node("node");
        agent = RunningAgent.start(node, agentKubeconfig);
        run("first", "cpu=2");
        awaitEquality();
    }

    @AfterEach
    void stopAgent() {
        proxy.restore();
        proxy.requests().open();
        proxy.answers().open();
        agent.close();
        pods.deleteAll();
    }

    private static void run(String name, String cpus) {
        pods.create(SimplePod.named(name).on("node").with("main", cpus, "memory=1Gi"));
        pods.awaitPhase(name, "Running");
    }

    private static void awaitEquality() {
        await("what is published equals the state files")
                .atMost(ClusterPods.TIMEOUT)
                .untilAsserted(() -> assertThat(published.differences()).isEmpty());
    }

    @Test
    void aConnectionThatIsCutInTheMiddleOfAWatch() {
        proxy.cut();
        run("second", "cpu=1");
        pods.delete("first");
        assertThat(published.differences()).isNotEmpty();

        proxy.restore();

        awaitEquality();
    }

    @Test
    void anAnswerThatComesSlowly() {
        proxy.answers().close();
        run("second", "cpu=1");
        assertThat(published.differences()).isNotEmpty();

        proxy.answers().open();

        awaitEquality();
    }

    @Test
    void aPatchThatComesWhenThePodIsAnotherOne() {
        double before = requests("code=\"422\"", "resource=\"pods\"", "verb=\"PATCH\"");
        proxy.requests().close();
        cluster.client().pods().inNamespace("default").withName("first").edit(pod -> {
            pod.getMetadata().getAnnotations().remove(Annotations.OBSERVED);
            return pod;
        });
        await("the agent writes it again")
                .atMost(ClusterPods.TIMEOUT)
                .until(() -> proxy.requests().holdsBack());
        pods.delete("first");
        await().atMost(ClusterPods.TIMEOUT).until(() -> pods.get("first") == null);
        run("first", "cpu=3");

        proxy.requests().open();

        awaitEquality();
        assertThat(requests("code=\"422\"", "resource=\"pods\"", "verb=\"PATCH\""))
                .isGreaterThan(before);
    }

    @Test
    void aConflict(@TempDir Path directory) throws Exception {
        double before = requests("code=\"409\"", "resource=\"pods\"", "verb=\"PATCH\"");
        try (RefusingWebhook webhook = new RefusingWebhook(directory, 409, "Conflict", 3)) {
            List<? extends HasMetadata> hooks = apply("""
                    apiVersion: admissionregistration.k8s.io/v1
                    kind: ValidatingWebhookConfiguration
                    metadata: {name: conflicts}
                    webhooks:
                    - name: conflicts.example.com
                      admissionReviewVersions: [v1]
                      sideEffects: None
                      clientConfig: {url: "%s", caBundle: "%s"}
                      rules:
                      - {operations: [UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}
                      - {operations: [UPDATE], apiGroups: [topology.node.k8s.io], apiVersions: ["*"], resources: [noderesourcetopologies]}
                      matchConditions:
                      - {name: agent, expression: "request.userInfo.username == 'system:serviceaccount:numa-system:numaledger-agent'"}
                    """.formatted(webhook.url(), webhook.authority()));
            await("the API server asks the webhook").atMost(ClusterPods.TIMEOUT).until(() -> {
                touch("first");
                return webhook.isDone();
            });

            awaitEquality();
            hooks.forEach(hook -> cluster.client().resource(hook).delete());
        }
        assertThat(requests("code=\"409\"", "resource=\"pods\"", "verb=\"PATCH\""))
                .isGreaterThan(before);
    }

    private static double requests(String... labels) {
        return metric("apiserver_request_total{", labels);
    }

    /** The sum of those of the API server's counters of that name whose labels hold all of the texts. */
    private static double metric(String name, String... labels) {
        return cluster.client()
                .raw("/metrics")
                .lines()
                .filter(line -> line.startsWith(name))
                .filter(line -> List.of(labels).stream().allMatch(line::contains))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void tooManyRequestsWithRetryAfter() throws IOException {
        List<? extends HasMetadata> limits = apply("""
                apiVersion: flowcontrol.apiserver.k8s.io/v1
                kind: PriorityLevelConfiguration
                metadata: {name: closed}
                spec: {type: Limited, limited: {nominalConcurrencyShares: 0, lendablePercent: 0, borrowingLimitPercent: 0, limitResponse: {type: Reject}}}
                ---
                apiVersion: flowcontrol.apiserver.k8s.io/v1
                kind: FlowSchema
                metadata: {name: closed}
                spec:
                  matchingPrecedence: 2
                  priorityLevelConfiguration: {name: closed}
                  rules:
                  - subjects: [{kind: ServiceAccount, serviceAccount: {name: numaledger-agent, namespace: numa-system}}]
                    resourceRules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"], clusterScope: true}]
                """);
        try (PipedOutputStream neverWritten = new PipedOutputStream();
                PipedInputStream body = new PipedInputStream(neverWritten)) {
            occupyTheOnlySeat(body);
            await("priority and fairness refuses the agent")
                    .atMost(ClusterPods.TIMEOUT)
                    .until(() -> {
                        touch("first");
                        return metric("apiserver_flowcontrol_rejected_requests_total{", "flow_schema=\"closed\"") > 0;
                    });
            run("second", "cpu=1");
            assertThat(published.differences()).isNotEmpty();
        }
        limits.forEach(limit -> cluster.client().resource(limit).delete());

        awaitEquality();
    }

    /** A level without seats still serves one request at a time, so one is sent whose body does not come. */
    private static void occupyTheOnlySeat(InputStream body) {
        HttpRequest request = HttpRequest.newBuilder(
                        cluster.apiServer().url().resolve("/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"))
                .header(
                        "Authorization",
                        "Bearer "
                                + Config.fromKubeconfig(agentKubeconfig.toFile())
                                        .getAutoOAuthToken())
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofInputStream(() -> body))
                .build();
        CompletableFuture<HttpResponse<Void>> unused =
                cluster.apiServer().httpClient().sendAsync(request, HttpResponse.BodyHandlers.discarding());
    }

    /** Gives the agent something to repair. */
    private static void touch(String pod) {
        cluster.client().pods().inNamespace("default").withName(pod).edit(found -> {
            found.getMetadata().setAnnotations(Map.of());
            return found;
        });
    }

    @Test
    void serviceUnavailable() {
        apply("""
                apiVersion: apiregistration.k8s.io/v1
                kind: APIService
                metadata: {name: v1alpha2.topology.node.k8s.io, labels: {kube-aggregator.kubernetes.io/automanaged: "false"}}
                spec:
                  group: topology.node.k8s.io
                  version: v1alpha2
                  groupPriorityMinimum: 1000
                  versionPriority: 100
                  insecureSkipTLSVerify: true
                  service: {namespace: default, name: nowhere}
                """);
        await("the API server answers 503")
                .atMost(ClusterPods.TIMEOUT)
                .untilAsserted(() -> assertThatThrownBy(() -> cluster.client().raw(NRT, "GET", null))
                        .isInstanceOfSatisfying(
                                KubernetesClientException.class,
                                refusal -> assertThat(refusal.getCode()).isEqualTo(503)));
        run("second", "cpu=1");

        cluster.client()
                .genericKubernetesResources("apiregistration.k8s.io/v1", "APIService")
                .withName("v1alpha2.topology.node.k8s.io")
                .delete();

        await("the API server serves them again")
                .atMost(ClusterPods.TIMEOUT)
                .ignoreExceptions()
                .until(() -> cluster.client().raw(NRT).contains("NodeResourceTopology"));
        awaitEquality();
    }

    @Test
    void aResourceVersionThatHasExpired() throws Exception {
        String seen = cluster.client()
                .pods()
                .inNamespace("default")
                .list()
                .getMetadata()
                .getResourceVersion();
        proxy.cut();
        run("second", "cpu=1");
        pods.delete("first");
        compactEtcd();
        assertThat(firstEventOfWatchFrom(seen)).contains("\"ERROR\"").contains("410");

        proxy.restore();

        awaitEquality();
    }

    private static void compactEtcd() throws Exception {
        long revision = etcd("/v3/kv/range", "{\"key\": \"MA==\"}")
                .path("header")
                .path("revision")
                .asLong();
        etcd("/v3/kv/compaction", "{\"revision\": %d, \"physical\": true}".formatted(revision));
    }

    private static JsonNode etcd(String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(
                        cluster.apiServer().etcdUrl().resolve(path))
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return new ObjectMapper().readTree(answer.body());
    }

    private static String firstEventOfWatchFrom(String version) {
        return cluster.client().raw("/api/v1/pods?watch=1&timeoutSeconds=5&resourceVersion=" + version);
    }
}
