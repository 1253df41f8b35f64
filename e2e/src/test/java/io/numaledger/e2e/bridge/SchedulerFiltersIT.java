package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.preemption.VictimSearch;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.Feasibility;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.StaticCluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A real kube-scheduler decides by its own filters which of 60 random nodes take each of 200 random pods: labels, taints, cordons, host ports
 * and amounts of the node as a whole. All that are asked here agree with it. Nothing is known of the nodes' zones.
 */
class SchedulerFiltersIT {

    private static final int NODES = 60;
    private static final int PODS = 200;
    private static final String SCHEDULER = "recorded";
    private static final long BUDGET = 10_000_000;

    private final Random random = new Random(1);

    /** An extender that takes no node, and knows which ones it was offered. */
    private static final class Offers implements AutoCloseable {

        private static final ObjectMapper JSON = new ObjectMapper();

        private final Map<String, Set<String>> offered = new ConcurrentHashMap<>();
        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

        private Offers() throws IOException {
            server.setExecutor(Executors.newSingleThreadExecutor());
            server.createContext("/filter", this::refuseAll);
            server.start();
        }

        private String url() {
            return "http://127.0.0.1:" + server.getAddress().getPort();
        }

        private Set<String> to(String pod) {
            return offered.getOrDefault(pod, Set.of());
        }

        private void refuseAll(HttpExchange call) throws IOException {
            JsonNode args = JSON.readTree(call.getRequestBody());
            Set<String> nodes = StreamSupport.stream(args.path("NodeNames").spliterator(), false)
                    .map(JsonNode::asText)
                    .collect(Collectors.toCollection(TreeSet::new));
            offered.put(args.path("Pod").path("metadata").path("name").asText(), nodes);
            ObjectNode answer = JSON.createObjectNode();
            answer.putArray("NodeNames");
            ObjectNode failed = answer.putObject("FailedAndUnresolvableNodes");
            nodes.forEach(node -> failed.put(node, "recorded"));
            byte[] body = JSON.writeValueAsBytes(answer);
            call.getResponseHeaders().set("Content-Type", "application/json");
            call.sendResponseHeaders(200, body.length);
            try (OutputStream out = call.getResponseBody()) {
                out.write(body);
            }
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    private String any(String... choices) {
        return choices[random.nextInt(choices.length)];
    }

    private Node node(int i) {
        return Serialization.unmarshal(
                """
                apiVersion: v1
                kind: Node
                metadata: {name: n-%d, labels: {disk: %s, size: "%d"%s}}
                spec: {unschedulable: %s, taints: [%s]}
                status:
                  allocatable: &amounts {cpu: "%d", memory: %dGi, pods: "%d", ephemeral-storage: 10Gi%s}
                  capacity: *amounts
                """.formatted(
                                i,
                                any("ssd", "hdd"),
                                random.nextInt(10),
                                any("", ", rack: r"),
                                random.nextInt(6) == 0,
                                any(
                                        "",
                                        "",
                                        "",
                                        "{key: a, effect: NoSchedule}",
                                        "{key: a, value: x, effect: NoExecute}",
                                        "{key: b, effect: PreferNoSchedule}",
                                        "{key: a, value: x, effect: NoSchedule}, {key: b, effect: NoExecute}"),
                                2 + random.nextInt(5),
                                4 + random.nextInt(5),
                                2 + random.nextInt(4),
                                any("", ", example.com/widget: \"2\"", ", hugepages-2Mi: 4Mi")),
                Node.class);
    }

    private String ports() {
        return random.nextInt(3) > 0
                ? ""
                : "ports: [{containerPort: 80, hostPort: %s, protocol: %s%s}],"
                        .formatted(
                                any("80", "81"),
                                any("TCP", "TCP", "UDP"),
                                any("", ", hostIP: 10.0.0.1", ", hostIP: 10.0.0.2"));
    }

    private String containers() {
        String amounts = "{cpu: %s, memory: %s%s}"
                .formatted(
                        any("\"0\"", "500m", "\"1\"", "\"3\""),
                        any("0", "1Gi", "3Gi"),
                        any(
                                "",
                                "",
                                "",
                                ", example.com/widget: \"1\"",
                                ", ephemeral-storage: 6Gi",
                                ", hugepages-2Mi: 2Mi"));
        String init = any(
                "",
                "",
                "initContainers: [{name: i, image: x, resources: {requests: {cpu: \"2\"}}}]",
                "initContainers: [{name: i, image: x, restartPolicy: Always, %s resources: {requests: {cpu: \"1\"}}}]"
                        .formatted(ports()));
        return "containers: [{name: c, image: x, %s resources: {requests: %s, limits: %s}}]\n  %s"
                .formatted(ports(), amounts, amounts, init);
    }

    private Pod pod(String name, String spec) {
        return Serialization.unmarshal("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: default}
                spec:
                  %s
                  %s
                """.formatted(name, containers(), spec), Pod.class);
    }

    private String constraints() {
        String selector = any("", "", "nodeSelector: {disk: ssd}");
        String tolerations = any(
                "",
                "",
                "tolerations: [{operator: Exists}]",
                "tolerations: [{key: a, operator: Exists}]",
                "tolerations: [{key: a, value: x, effect: NoSchedule}, {key: b, operator: Exists}]",
                "tolerations: [{key: a, operator: Equal, value: x}, {key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoSchedule}]");
        String term = any(
                "",
                "",
                "matchExpressions: [{key: disk, operator: In, values: [hdd, nvme]}]",
                "matchExpressions: [{key: disk, operator: NotIn, values: [hdd]}, {key: rack, operator: Exists}]",
                "matchExpressions: [{key: rack, operator: DoesNotExist}]",
                "matchExpressions: [{key: size, operator: Gt, values: [\"4\"]}]",
                "matchExpressions: [{key: size, operator: Lt, values: [\"4\"]}]",
                "matchFields: [{key: metadata.name, operator: In, values: [n-7]}]");
        String affinity = term.isEmpty()
                ? ""
                : "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{%s}]}}}"
                        .formatted(term);
        return "schedulerName: %s\n  %s\n  %s\n  %s".formatted(SCHEDULER, selector, tolerations, affinity);
    }

    @Test
    void allAgreeWithKubeScheduler(@TempDir Path directory) throws IOException {
        RealKubernetes.binaries();
        List<HasMetadata> objects = new ArrayList<>();
        IntStream.range(0, NODES).forEach(i -> objects.add(node(i)));
        IntStream.range(0, NODES).forEach(i -> objects.add(pod("r-" + i, "nodeName: n-" + random.nextInt(NODES))));
        IntStream.range(0, PODS).forEach(i -> objects.add(pod("p-" + i, constraints())));
        try (BareCluster cluster = new BareCluster(directory);
                Offers offers = new Offers()) {
            cluster.create(objects);
            try (AutoCloseable scheduler = cluster.startScheduler(SCHEDULER, offers.url())) {
                await("each pod has been tried")
                        .atMost(Duration.ofMinutes(3))
                        .until(() -> IntStream.range(0, PODS)
                                .allMatch(i -> cluster.conditions("p-" + i).contains("PodScheduled")));
            } catch (Exception e) {
                throw new IllegalStateException("the scheduler has failed", e);
            }
            ClusterState state = StaticCluster.of(cluster.read(), SnapshotSettings.DEFAULT, InstantSource.system());
            int taken = 0;
            for (int i = 0; i < PODS; i++) {
                PodFacts pod = state.pods().get("default/p-" + i).orElseThrow();
                Set<String> offered = offers.to(pod.name());
                taken += offered.size();
                assertThat(explained(state, pod)).as("explain " + pod.name()).isEqualTo(offered);
                assertThat(taking(state, pod)).as("feasibility " + pod.name()).isEqualTo(offered);
                assertThat(withoutVictims(state, pod))
                        .as("preempt " + pod.name())
                        .isEqualTo(offered);
            }
            System.out.printf("decisions: %d, nodes that take a pod: %d%n", NODES * PODS, taken);
            assertThat(taken).isBetween(NODES * PODS / 20, NODES * PODS / 2);
        }
    }

    private static Set<String> explained(ClusterState state, PodFacts pod) {
        return Explanation.ofAll(state, pod).stream()
                .filter(Explanation::schedulable)
                .map(each -> each.node().name())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> taking(ClusterState state, PodFacts pod) {
        return state.uses(new EvaluationBudget(BUDGET)).stream()
                .filter(use -> Feasibility.of(use).takes(pod))
                .map(use -> use.node().name())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> withoutVictims(ClusterState state, PodFacts pod) {
        return state.uses(new EvaluationBudget(BUDGET)).stream()
                .filter(use -> new VictimSearch(use, pod, DisruptionBudgets.NONE, new SearchLimit())
                        .find(Set.of())
                        .isPresent())
                .map((NodeUse use) -> use.node().name())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
