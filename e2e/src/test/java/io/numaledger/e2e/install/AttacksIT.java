package io.numaledger.e2e.install;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What somebody without rights, or with those of one namespace, does to a release of the chart: no replica restarts, the scheduler's calls
 * and the probes are answered beside it, and pods of others run. Prints the times of the calls beside each attack.
 */
class AttacksIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int CALLS = 50;

    private static final String EXPLANATIONS = "apis/numaledger.io/v1alpha1/namespaces/tenant/explanations";

    /** The heap is that of the chart's memory limit, because simulated containers have none. */
    private static final String INSTALL = """
            kubectl delete --ignore-not-found customresourcedefinition noderesourcetopologies.topology.node.k8s.io
            helm install numaledger charts/numaledger --namespace numaledger --create-namespace \\
              --set image.repository=registry.example.com/numaledger/agent \\
              --set bridge.image.repository=registry.example.com/numaledger/bridge \\
              --set bridge.groups.enabled=true,bridge.groups.preempt=true \\
              --set 'bridge.schedulerNames={default-scheduler,numaledger,second}' \\
              --set 'bridge.extraEnv[0].name=JAVA_TOOL_OPTIONS,bridge.extraEnv[0].value=-Xmx998m'
            for each in daemonset/numaledger-agent deployment/numaledger-bridge deployment/numaledger-scheduler; do
              kubectl -n numaledger rollout status "$each" --timeout=60s
            done
            kubectl create priorityclass important --value=1000
            kubectl create namespace tenant
            kubectl -n tenant create serviceaccount tenant
            kubectl -n tenant create rolebinding tenant --clusterrole=edit --serviceaccount=tenant:tenant
            """;

    @TempDir
    private static Path home;

    private static SimCluster cluster;
    private static UserShell shell;
    private static ClusterPods pods;
    private static SSLContext scheduler;
    private static HttpClient anonymous;
    private static String token;

    private final List<SchedulerCalls> calls = new ArrayList<>();
    private Map<String, String> containersBefore = Map.of();

    @BeforeAll
    static void start() throws Exception {
        cluster = ProgramImages.cluster();
        shell = new UserShell(cluster, home);
        pods = new ClusterPods(cluster);
        shell.run(INSTALL);
        token = shell.run("kubectl -n tenant create token tenant").strip();
        scheduler = BridgeClients.scheduler(cluster.client());
        anonymous = HttpClient.newBuilder()
                .sslContext(BridgeClients.withoutCertificate())
                .build();
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void callBothReplicas() throws IOException, InterruptedException {
        shell.run("kubectl -n numaledger rollout status deployment/numaledger-bridge --timeout=60s");
        containersBefore = containers();
        String pod = Serialization.asJson(new PodBuilder(SimplePod.named("asked")
                        .with("c", "cpu=2", "memory=1Gi")
                        .scheduledBy("numaledger")
                        .build())
                .editMetadata()
                .withUid("asked")
                .endMetadata()
                .build());
        for (String address : addresses("bridge")) {
            calls.add(SchedulerCalls.start(
                    address, scheduler, "{\"Pod\":%s,\"NodeNames\":[\"a\",\"b\"]}".formatted(pod)));
        }
    }

    @AfterEach
    void everyCallWasAnsweredAndNoContainerRestarted(TestInfo test) {
        calls.forEach(SchedulerCalls::close);
        calls.forEach(each -> System.out.printf("attack %s: %s%n", test.getDisplayName(), each));
        cluster.client().pods().inNamespace("default").withGracePeriod(0).delete();
        cluster.client().pods().inNamespace("tenant").withGracePeriod(0).delete();
        await().atMost(TIMEOUT)
                .until(() -> pods.all().isEmpty()
                        && cluster.client()
                                .pods()
                                .inNamespace("tenant")
                                .list()
                                .getItems()
                                .isEmpty());
        assertThat(containers()).isEqualTo(containersBefore);
        assertThat(calls).allSatisfy(each -> assertThat(each.failures()).isEmpty());
    }

    /** Of the release: container → how often it has restarted. */
    private static Map<String, String> containers() {
        Map<String, String> containers = new TreeMap<>();
        cluster.client().pods().inNamespace("numaledger").list().getItems().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                .forEach(pod -> pod.getStatus()
                        .getContainerStatuses()
                        .forEach(container -> containers.put(
                                pod.getMetadata().getName() + "/" + container.getName(),
                                "%d restarts".formatted(container.getRestartCount()))));
        return containers;
    }

    private static List<String> addresses(String component) {
        return cluster
                .client()
                .pods()
                .inNamespace("numaledger")
                .withLabel("app.kubernetes.io/component", component)
                .list()
                .getItems()
                .stream()
                .map(pod -> pod.getStatus().getPodIP())
                .toList();
    }

    /** Repeats an attack until each replica has answered some calls beside it. */
    private void beside(Attack attack) throws Exception {
        do {
            attack.run();
        } while (!enoughCalls());
    }

    @FunctionalInterface
    private interface Attack {
        void run() throws Exception;
    }

    private void awaitCalls() {
        await("each replica answers %d calls".formatted(CALLS)).atMost(TIMEOUT).until(this::enoughCalls);
    }

    /** A call that fails is seen at the end. */
    private boolean enoughCalls() {
        return calls.stream()
                .allMatch(each -> each.answered() >= CALLS || !each.failures().isEmpty());
    }

    private static SimplePod pod(String name) {
        return SimplePod.named(name).scheduledBy("numaledger");
    }

    private static void runs(SimplePod pod) {
        String name = pod.build().getMetadata().getName();
        pods.create(pod);
        await("pod %s runs".formatted(name)).atMost(TIMEOUT).until(() -> pods.isRunning(name));
    }

    // ---- callers

    /** Each list refers to the one before it several times. */
    private static String nestedAliases() {
        StringBuilder yaml = new StringBuilder("kind: Pod\nmetadata: {name: x}\nspec: {}\nn0: &n0 [a, b]\n");
        IntStream.rangeClosed(1, 14)
                .forEach(i -> yaml.append("n%d: &n%d [*n%d, *n%d, *n%d]\n".formatted(i, i, i - 1, i - 1, i - 1)));
        return yaml.toString();
    }

    @Test
    void documentsThatExpandWithoutEnd() throws Exception {
        List<String> bridges = addresses("bridge");
        beside(() -> {
            for (String address : bridges) {
                for (String path : List.of("v1/explain", "v1/whatif", EXPLANATIONS)) {
                    HttpRequest.Builder request = HttpRequest.newBuilder(
                                    URI.create("https://%s:9443/%s".formatted(address, path)))
                            .POST(BodyPublishers.ofString(nestedAliases()));
                    assertThat(status(request)).as(path).isIn(401, 404);
                    assertThat(status(request.header("Authorization", "Bearer " + token)))
                            .as(path)
                            .isIn(400, 401, 404);
                }
            }
        });
        runs(pod("fits").with("c", "cpu=3", "memory=1Gi"));
    }

    private static int status(HttpRequest.Builder request) throws IOException, InterruptedException {
        return anonymous.send(request.build(), BodyHandlers.ofString()).statusCode();
    }

    @Test
    void silentConnections() throws Exception {
        List<Socket> silent = new ArrayList<>();
        try {
            for (String address : addresses("bridge")) {
                connect(silent, address, 9444, 100);
                connect(silent, address, 9443, 400);
            }
            for (String address : addresses("agent")) {
                connect(silent, address, 9464, 400);
            }
            runs(pod("fits").with("c", "cpu=3", "memory=1Gi"));
            awaitCalls();
        } finally {
            for (Socket each : silent) {
                each.close();
            }
        }
    }

    private static void connect(List<Socket> into, String address, int port, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Socket socket = new Socket();
            into.add(socket);
            socket.connect(new InetSocketAddress(address, port), 5_000);
        }
    }

    @Test
    void explanationsWithoutEnd() throws Exception {
        String explained = Serialization.asJson(
                new PodBuilder(pod("explained").with("c", "cpu=6", "memory=1Gi").build())
                        .editMetadata()
                        .withNamespace("tenant")
                        .endMetadata()
                        .build());
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create(cluster.client().getMasterUrl() + EXPLANATIONS))
                .header("Authorization", "Bearer " + token)
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(
                        "{\"apiVersion\":\"numaledger.io/v1alpha1\",\"kind\":\"Explanation\",\"spec\":{\"pod\":%s}}"
                                .formatted(explained)));
        ExecutorService flood = Executors.newFixedThreadPool(8);
        try {
            List<Future<Set<Integer>>> statuses = IntStream.range(0, 8)
                    .mapToObj(i -> flood.submit(() -> {
                        Set<Integer> answers = new TreeSet<>();
                        beside(() -> answers.add(status(request.copy())));
                        return answers;
                    }))
                    .toList();
            runs(pod("fits").with("c", "cpu=3", "memory=1Gi"));
            for (Future<Set<Integer>> each : statuses) {
                assertThat(each.get()).contains(201).isSubsetOf(201, 429, 503);
            }
        } finally {
            flood.shutdownNow();
        }
    }

    // ---- tenants

    /** The devices of each card lie on two NUMA nodes, and the bridge does not evaluate the selector. */
    @Test
    void podsWhoseClaimsTakeLongToEvaluate() throws Exception {
        try (CostlyClaims claims = new CostlyClaims(cluster.client(), List.of("a", "b"), 2, false)) {
            IntStream.range(0, 20).forEach(i -> claims.pod("costly-" + i, 1, 1, 8));
            for (int i = 0; i < 3; i++) {
                runs(pod("fits-" + i).with("c", "cpu=1", "memory=1Gi"));
            }
            awaitCalls();
        }
    }

    @Test
    void aPodOfManyClaimsForSharedDevices() throws Exception {
        try (CostlyClaims claims = new CostlyClaims(cluster.client(), List.of("a", "b"), 6, true)) {
            claims.pod("many", 20, 32, 1);
            runs(pod("fits").with("c", "cpu=3", "memory=1Gi"));
            awaitCalls();
        }
    }

    /** As a tenant could without {@code protectRecords}. */
    @Test
    void placementRecordsThatAreLongToRead() throws Exception {
        runs(pod("writes").with("c", "cpu=1", "memory=1Gi"));
        String strides = "1-900000:1/3,".repeat(15_000) + "end";
        AtomicInteger version = new AtomicInteger();
        beside(() -> {
            String record = "{\"version\":1,\"containers\":[{\"name\":\"c%d\",\"cpus\":\"%s\"}]}"
                    .formatted(version.incrementAndGet(), strides);
            cluster.client()
                    .pods()
                    .inNamespace("default")
                    .withName("writes")
                    .patch(
                            PatchContext.of(PatchType.JSON_MERGE),
                            Serialization.asJson(
                                    Map.of("metadata", Map.of("annotations", Map.of(Annotations.PLACEMENT, record)))));
        });
        runs(pod("fits").with("c", "cpu=3", "memory=1Gi"));
    }

    @Test
    void plannedNodesThatTheBridgeDidNotPlan() {
        for (String node : List.of("a", "b")) {
            for (int i = 0; i < 4; i++) {
                Pod pod = pod("forged-%s-%d".formatted(node, i))
                        .ofGatedGroup("forged", 1)
                        .annotated("numaledger.io/planned-node", node)
                        .with("c", "cpu=3", "memory=1Gi")
                        .build();
                pod.getSpec().getSchedulingGates().get(0).setName("example.com/never");
                cluster.client().resource(pod).create();
            }
        }
        runs(pod("fits").with("c", "cpu=3", "memory=1Gi"));
        awaitCalls();
    }

    @Test
    void aGroupThatNeverFitsBesideAnImportantPod() {
        IntStream.range(0, 20)
                .forEach(i ->
                        pods.create(pod("never-" + i).ofGatedGroup("never", 20).with("c", "cpu=3", "memory=1Gi")));
        for (int i = 0; i < 3; i++) {
            runs(pod("important-" + i).with("c", "cpu=3", "memory=1Gi").ofPriority("important"));
        }
        awaitCalls();
    }

    @Test
    void nobodyIsEvictedForAGroupThatCannotRun() {
        for (int i = 0; i < 3; i++) {
            runs(pod("victim-" + i).with("c", "cpu=3", "memory=1Gi"));
        }
        for (int i = 0; i < 4; i++) {
            Pod pod = pod("cannot-" + i)
                    .ofGatedGroup("cannot", 4)
                    .with("c", "cpu=3", "memory=1Gi")
                    .ofPriority("important")
                    .build();
            cluster.client()
                    .resource(new PodBuilder(pod)
                            .editSpec()
                            .withNewAffinity()
                            .withNewPodAffinity()
                            .addNewRequiredDuringSchedulingIgnoredDuringExecution()
                            .withTopologyKey("kubernetes.io/hostname")
                            .withNewLabelSelector()
                            .addToMatchLabels("app", "nowhere")
                            .endLabelSelector()
                            .endRequiredDuringSchedulingIgnoredDuringExecution()
                            .endPodAffinity()
                            .endAffinity()
                            .endSpec()
                            .build())
                    .create();
        }
        await("the group's event")
                .atMost(TIMEOUT)
                .until(() -> cluster.client().v1().events().inNamespace("default").list().getItems().stream()
                        .anyMatch(event -> event.getInvolvedObject().getName().startsWith("cannot-")
                                && event.getMessage().contains("affinity")));
        assertThat(IntStream.range(0, 3).mapToObj(i -> pods.get("victim-" + i)))
                .allMatch(pod -> pod != null && pod.getMetadata().getDeletionTimestamp() == null);
        awaitCalls();
    }

    @Test
    void aGroupOfManyKindsOfPodsBesideAnotherOne() {
        IntStream.range(0, 800).parallel().forEach(i -> {
            Pod pod = pod("kind-" + i)
                    .ofGatedGroup("kinds", 800)
                    .with("c", "cpu=1", "memory=64Mi")
                    .build();
            pod.getMetadata().setNamespace("tenant");
            pod.getSpec().setNodeSelector(Map.of("kind", "k" + i));
            cluster.client().resource(pod).create();
        });
        for (int i = 0; i < 2; i++) {
            pods.create(pod("small-" + i).ofGatedGroup("small", 2).with("c", "cpu=3", "memory=1Gi"));
        }
        await().atMost(TIMEOUT).until(() -> pods.isRunning("small-0") && pods.isRunning("small-1"));
        awaitCalls();
    }

    // ---- several schedulers

    /** This test is the second scheduler, which does not see that its pods exclude each other. Nothing of them is in a zone. */
    @Test
    void bindsToANodeThatAsAWholeLacksRoom() throws Exception {
        HttpClient second = HttpClient.newBuilder().sslContext(scheduler).build();
        List<String> names = IntStream.range(0, 6).mapToObj(i -> "beside-" + i).toList();
        for (String name : names) {
            pods.create(SimplePod.named(name).scheduledBy("second").burstable("c", "cpu=5", "memory=64Mi"));
        }
        String bridge = addresses("bridge").get(0);
        ExecutorService schedulers = Executors.newFixedThreadPool(names.size());
        try {
            List<Future<String>> answers = names.stream()
                    .map(name -> schedulers.submit(() -> bind(second, bridge, name)))
                    .toList();
            List<String> errors = new ArrayList<>();
            for (Future<String> each : answers) {
                errors.add(each.get());
            }
            assertThat(errors)
                    .filteredOn(
                            error -> !error.contains("node a does not fit the pod any more: needs 5 cpu; other pods"))
                    .as("%s", errors)
                    .containsExactly("{\"Error\":\"\"}");
        } finally {
            schedulers.shutdownNow();
        }
        await("the pod that was bound runs")
                .atMost(TIMEOUT)
                .until(() -> names.stream().filter(pods::isRunning).count() == 1);
        awaitCalls();
    }

    private static String bind(HttpClient client, String address, String pod) throws Exception {
        String uid = pods.get(pod).getMetadata().getUid();
        return client.send(
                        HttpRequest.newBuilder(URI.create("https://%s:9443/bind".formatted(address)))
                                .POST(BodyPublishers.ofString("""
                                        {"PodName": "%s", "PodNamespace": "default", "PodUID": "%s", "Node": "a"}""".formatted(pod, uid)))
                                .build(),
                        BodyHandlers.ofString())
                .body();
    }
}
