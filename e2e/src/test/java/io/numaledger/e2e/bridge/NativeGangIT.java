package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Groups that kube-scheduler plans, with its gates on. Nodes {@code a1} and {@code a2} are rack a, {@code b1} and {@code b2} rack b. Each has
 * two zones of 8 CPUs, one of them reserved: two pods of 5 CPUs fit.
 */
class NativeGangIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** Some attempts of kube-scheduler: time for a broken gang. */
    private static final Duration QUIET = Duration.ofSeconds(8);

    private static BridgedCluster bridged;
    private static ClusterPods pods;
    private static NativeGroups groups;

    @BeforeAll
    static void start() {
        KubeBinaries binaries = RealKubernetes.binaries();
        String nodes = "nodes:\n"
                + List.of("a1", "a2", "b1", "b2").stream().map("""
                                - name: %s
                                  kubelet: {topologyManagerPolicy: single-numa-node}
                                  numaNodes:
                                  - {id: 0, cores: 8, memory: 16Gi}
                                  - {id: 1, cores: 8, memory: 16Gi}
                                """::formatted).collect(Collectors.joining());
        bridged = BridgedCluster.start(
                NativeGroups.enable(SimCluster.builder(binaries).nodes(NodeSpecYaml.parse(nodes)), binaries),
                cluster -> ChartRights.credentials(cluster, "bridge.groups.enabled=true"),
                settings -> settings.withGroups(Bridge.Groups.PLANNED));
        pods = new ClusterPods(bridged.cluster());
        groups = new NativeGroups(bridged.cluster(), binaries);
        pods.definePriority("high", 1000);
        Map.of("a1", "a", "a2", "a", "b1", "b", "b2", "b")
                .forEach((node, rack) -> bridged.cluster()
                        .patchNode(node, "{\"metadata\":{\"labels\":{\"rack\":\"%s\"}}}".formatted(rack)));
    }

    @AfterAll
    static void stop() {
        if (bridged != null) {
            bridged.close();
        }
    }

    @AfterEach
    void deleteAll() {
        client().pods().inNamespace("default").withGracePeriod(0).delete();
        await().atMost(TIMEOUT).until(() -> pods.all().isEmpty());
        groups.deleteAll();
        cordon(Set.of());
        await().atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().snapshots().stream()
                                .allMatch(node -> node.pods().isEmpty())
                        && !bridged.bridge().cluster().hasPlanned());
    }

    private static KubernetesClient client() {
        return bridged.cluster().client();
    }

    private static void createMembers(String group, int count) {
        IntStream.range(0, count)
                .forEach(i -> pods.create(
                        SimplePod.named(group + "-" + i).ofPodGroup(group).with("c", "cpu=5", "memory=1Gi")));
    }

    /** Only the other nodes take pods. */
    private static void cordon(Set<String> nodes) {
        for (Node node : client().nodes().list().getItems()) {
            String name = node.getMetadata().getName();
            bridged.cluster().patchNode(name, "{\"spec\":{\"unschedulable\":%b}}".formatted(nodes.contains(name)));
        }
    }

    private static long running() {
        return pods.all().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                .count();
    }

    private static Set<String> nodesOf(String prefix) {
        return pods.all().stream()
                .filter(pod -> pod.getMetadata().getName().startsWith(prefix))
                .map((Pod pod) -> pod.getSpec().getNodeName())
                .collect(Collectors.toSet());
    }

    private static void awaitQuiet() {
        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
    }

    private static void assertNobodyRefused() {
        assertThat(bridged.cluster().journal().count("TopologyAffinityError")).isZero();
    }

    @Test
    void aGangOfFourRuns() {
        cordon(Set.of("b1", "b2"));
        groups.create("four", 4, Map.of());
        createMembers("four", 4);

        await().atMost(TIMEOUT).until(() -> running() == 4);
        assertNobodyRefused();
    }

    /** By the sums of the nodes, six pods of 5 CPUs fit. */
    @Test
    void aGangOfSixOfWhichOnlyFourFitDoesNotRun() {
        cordon(Set.of("b1", "b2"));
        groups.create("six", 6, Map.of());
        createMembers("six", 6);

        awaitQuiet();
        assertThat(pods.all()).allMatch(pod -> pod.getSpec().getNodeName() == null);
        assertThat(client().v1().events().inNamespace("default").list().getItems())
                .anyMatch(event -> event.getInvolvedObject().getKind().equals("PodGroup")
                        && event.getMessage().equals("6 pods have to run together, beside those that run; 4 fit"));
        assertNobodyRefused();
    }

    @Test
    void podsBeyondTheLeastNumberWait() {
        cordon(Set.of("b1", "b2"));
        groups.create("least", 4, Map.of());
        createMembers("least", 6);

        await().atMost(TIMEOUT).until(() -> running() == 4);
        awaitQuiet();
        assertThat(running()).isEqualTo(4);
        assertNobodyRefused();
    }

    @Test
    void allPodsLandInTheRackThatHasRoomForAllOfThem() {
        pods.create(SimplePod.named("x").on("a1").with("c", "cpu=6", "memory=1Gi"));
        pods.awaitPhase("x", "Running");
        groups.create("rack", 4, Map.of("schedulingConstraints", Map.of("topology", List.of(Map.of("key", "rack")))));
        createMembers("rack", 4);

        await().atMost(TIMEOUT).until(() -> running() == 5);
        assertThat(nodesOf("rack-")).containsExactlyInAnyOrder("b1", "b2");
        assertNobodyRefused();
    }

    /**
     * kube-scheduler picks victims by the sums of the nodes. Of four pods of 3 CPUs on a node, it spares one beside two pods of 5; where that one
     * is in the zone of 7 CPUs, only one of the two fits.
     */
    @Test
    void nobodyIsBoundToBeRefusedWhereTheWrongPodsWereEvicted() {
        cordon(Set.of("b1", "b2"));
        IntStream.range(0, 8)
                .forEach(i -> pods.create(SimplePod.named("low-" + i).with("c", "cpu=3", "memory=1Gi")));
        await().atMost(TIMEOUT).until(() -> running() == 8);
        groups.create("high", 4, Map.of("priorityClassName", "high"));
        IntStream.range(0, 4)
                .forEach(i -> pods.create(SimplePod.named("high-" + i)
                        .ofPodGroup("high")
                        .ofPriority("high")
                        .with("c", "cpu=5", "memory=1Gi")));

        await().atMost(TIMEOUT).until(() -> pods.all().size() < 12);
        awaitQuiet();
        assertThat(nodesOf("high-").stream().filter(node -> node != null))
                .satisfiesAnyOf(
                        bound -> assertThat(bound).as("the gang waits").isEmpty(),
                        bound -> assertThat(pods.all())
                                .as("the whole gang runs")
                                .filteredOn(pod -> pod.getMetadata().getName().startsWith("high-"))
                                .allMatch(pod -> pod.getStatus().getPhase().equals("Running")));
        assertNobodyRefused();
    }

    @Test
    void podsOfLowerPriorityAreEvictedForAGang() {
        IntStream.range(0, 8)
                .forEach(i -> pods.create(SimplePod.named("low-" + i).with("c", "cpu=7", "memory=1Gi")));
        await().atMost(TIMEOUT).until(() -> running() == 8);
        groups.create("high", 4, Map.of("priorityClassName", "high"));
        IntStream.range(0, 4)
                .forEach(i -> pods.create(SimplePod.named("high-" + i)
                        .ofPodGroup("high")
                        .ofPriority("high")
                        .with("c", "cpu=5", "memory=1Gi")));

        await().atMost(TIMEOUT)
                .until(() -> pods.all().stream()
                                .filter(pod -> pod.getMetadata().getName().startsWith("high-")
                                        && pod.getStatus().getPhase().equals("Running"))
                                .count()
                        == 4);
        awaitQuiet();
        assertThat(running()).as("four victims").isEqualTo(8);
        assertNobodyRefused();
    }
}
