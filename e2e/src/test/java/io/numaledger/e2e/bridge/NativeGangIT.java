package io.numaledger.e2e.bridge;

import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.KubeBinaries;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Groups that kube-scheduler plans, with its gates on. Nodes {@code a1} and {@code a2} are rack a, {@code b1} and {@code b2} rack b. Each has
 * two zones of 8 CPUs, one of them reserved: two pods of 5 CPUs fit.
 */
class NativeGangIT {

    /** Some attempts of kube-scheduler: time for a broken gang. */
    private static final Duration QUIET = Duration.ofSeconds(8);

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(NativeGangIT::start);

    private final ClusterPods pods = nodes.pods();
    private final NativeGroups groups = new NativeGroups(nodes.cluster().cluster(), RealKubernetes.binaries());

    private static BridgedCluster start() {
        KubeBinaries binaries = RealKubernetes.binaries();
        BridgedCluster bridged = BridgedCluster.start(
                NativeGroups.enable(
                        SimCluster.builder(binaries)
                                .nodes(NodeSpecYaml.parse(BridgedNodes.yaml("a1", "a2", "b1", "b2"))),
                        binaries),
                cluster -> ChartRights.credentials(cluster, "bridge.groups.enabled=true"),
                "--groups");
        for (String node : List.of("a1", "a2", "b1", "b2")) {
            bridged.cluster()
                    .patchNode(node, "{\"metadata\":{\"labels\":{\"rack\":\"%s\"}}}".formatted(node.substring(0, 1)));
        }
        return bridged;
    }

    @AfterEach
    void deleteGroups() {
        groups.deleteAll();
    }

    private void createMembers(String group, int count) {
        IntStream.range(0, count)
                .forEach(i -> nodes.create(SimplePod.named(group + "-" + i).ofPodGroup(group), 5));
    }

    @Test
    void aGangOfFourRuns() {
        nodes.cordon(Set.of("b1", "b2"));
        groups.create("four", 4, Map.of());
        createMembers("four", 4);

        nodes.awaitRunning(4);
        nodes.assertNobodyRefused();
    }

    /** By node-level requests, six pods of 5 CPUs fit. */
    @Test
    void aGangOfSixOfWhichOnlyFourFitDoesNotRun() {
        nodes.cordon(Set.of("b1", "b2"));
        groups.create("six", 6, Map.of());
        createMembers("six", 6);

        BridgedNodes.quiet(QUIET);
        assertThat(pods.all()).allMatch(pod -> pod.getSpec().getNodeName() == null);
        assertThat(nodes.client().v1().events().inNamespace("default").list().getItems())
                .anyMatch(event -> event.getInvolvedObject().getKind().equals("PodGroup")
                        && event.getMessage().equals("6 pods have to run together, beside those that run; 4 fit"));
        nodes.assertNobodyRefused();
    }

    @Test
    void podsBeyondTheLeastNumberWait() {
        nodes.cordon(Set.of("b1", "b2"));
        groups.create("least", 4, Map.of());
        createMembers("least", 6);

        nodes.awaitRunning(4);
        BridgedNodes.quiet(QUIET);
        assertThat(nodes.running("")).isEqualTo(4);
        nodes.assertNobodyRefused();
    }

    @Test
    void allPodsLandInTheRackThatHasRoomForAllOfThem() {
        nodes.create(SimplePod.named("x").on("a1"), 6);
        pods.awaitPhase("x", "Running");
        groups.create("rack", 4, Map.of("schedulingConstraints", Map.of("topology", List.of(Map.of("key", "rack")))));
        createMembers("rack", 4);

        nodes.awaitRunning(5);
        assertThat(nodes.nodesOf("rack-")).containsExactlyInAnyOrder("b1", "b2");
        nodes.assertNobodyRefused();
    }

    /** The others have waited for its place, and its controller needs two seconds. */
    @Test
    void theReplacementOfALostPodRuns() {
        nodes.cordon(Set.of("a2", "b1", "b2"));
        groups.create("lost", 2, Map.of());
        createMembers("lost", 2);
        nodes.awaitRunning("lost-", 2);
        IntStream.range(0, 3).forEach(i -> nodes.create(SimplePod.named("single-" + i), 5));
        await("they wait")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.reasons("single-2").contains("FailedScheduling"));

        pods.delete("lost-1");
        BridgedNodes.quiet(Duration.ofSeconds(2));
        nodes.create(SimplePod.named("lost-2").ofPodGroup("lost"), 5);

        nodes.awaitRunning("lost-", 2);
        assertThat(nodes.running("single-")).isZero();
        nodes.assertNobodyRefused();
    }

    /**
     * kube-scheduler picks victims by node-level requests. Of four pods of 3 CPUs on a node, it spares one beside two pods of 5; where that one
     * is in the zone of 7 CPUs, only one of the two fits.
     */
    @Test
    void nobodyIsBoundToBeRefusedWhereTheWrongPodsWereEvicted() {
        nodes.cordon(Set.of("b1", "b2"));
        IntStream.range(0, 8).forEach(i -> nodes.create(SimplePod.named("low-" + i), 3));
        nodes.awaitRunning(8);
        groups.create("high", 4, Map.of("priorityClassName", "high"));
        IntStream.range(0, 4)
                .forEach(i -> nodes.create(
                        SimplePod.named("high-" + i).ofPodGroup("high").ofPriority("high"), 5));

        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.all().size() < 12);
        BridgedNodes.quiet(QUIET);
        assertThat(nodes.nodesOf("high-"))
                .satisfiesAnyOf(
                        bound -> assertThat(bound).as("the gang waits").isEmpty(),
                        bound -> assertThat(pods.all())
                                .as("the whole gang runs")
                                .filteredOn(pod -> pod.getMetadata().getName().startsWith("high-"))
                                .allMatch(pod -> pod.getStatus().getPhase().equals("Running")));
        nodes.assertNobodyRefused();
    }

    @Test
    void podsOfLowerPriorityAreEvictedForAGang() {
        IntStream.range(0, 8).forEach(i -> nodes.create(SimplePod.named("low-" + i), 7));
        nodes.awaitRunning(8);
        groups.create("high", 4, Map.of("priorityClassName", "high"));
        IntStream.range(0, 4)
                .forEach(i -> nodes.create(
                        SimplePod.named("high-" + i).ofPodGroup("high").ofPriority("high"), 5));

        nodes.awaitRunning("high-", 4);
        BridgedNodes.quiet(QUIET);
        assertThat(nodes.running("")).as("four victims").isEqualTo(8);
        nodes.assertNobodyRefused();
    }
}
