package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/** Pods are resized in place. Node {@code a} has two zones of 8 CPUs, one of them reserved. */
class ResizeIT {

    /** Longer than kube-scheduler's back-off: time for a bind that must not be. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start(yaml(), List.of()));

    private final ClusterPods pods = nodes.pods();

    private static String yaml() {
        String nodes = BridgedNodes.yaml("a", "b");
        return SimCluster.cgroupObstacle().isPresent()
                ? nodes
                : nodes.replace("kubelet: {", "kubelet: {cgroupsPerQOS: true, ");
    }

    @BeforeEach
    void useOneNode() {
        nodes.cordon(Set.of("b"));
    }

    private void resize(String pod, String resources) {
        nodes.client()
                .pods()
                .inNamespace("default")
                .withName(pod)
                .subresource("resize")
                .patch(
                        PatchContext.of(PatchType.STRATEGIC_MERGE),
                        "{\"spec\":{\"containers\":[{\"name\":\"c\",\"resources\":{%s}}]}}".formatted(resources));
    }

    private void resizeInfeasibly(String pod, int cpus) {
        resize(pod, "\"requests\":{\"cpu\":\"%1$d\"},\"limits\":{\"cpu\":\"%1$d\"}".formatted(cpus));
        await("the kubelet refuses the resize")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> pods.get(pod).getStatus().getConditions().stream()
                        .anyMatch(each ->
                                each.getType().equals("PodResizePending") && "Infeasible".equals(each.getReason())));
    }

    private static NodeSnapshot snapshot() {
        return nodes.bridge().cluster().snapshot("a").orElseThrow();
    }

    private void awaitExact(int holders) {
        await("the bridge knows exactly what %d pods hold".formatted(holders))
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> snapshot().confidence() == Confidence.EXACT
                        && snapshot().pods().size() == holders
                        && nodes.bridge().cluster().reservations() == 0);
    }

    /** What the bridge says of node {@code a} as a whole. */
    private static List<String> nodeReasons(String pod) {
        ClusterState cluster = nodes.bridge().cluster();
        return Explanation.ofAll(cluster, cluster.pods().get("default/" + pod).orElseThrow()).stream()
                .filter(verdict -> verdict.node().node().name().equals("a"))
                .flatMap(verdict -> verdict.nodeReasons().stream())
                .map(PodNames.ALL::text)
                .toList();
    }

    /** The other zone is full. */
    private void runBesideAFullZone(String pod, int cpus) {
        nodes.create(SimplePod.named("full"), 8);
        nodes.create(SimplePod.named(pod), cpus);
        nodes.awaitRunning(2);
        awaitExact(2);
    }

    @Test
    void aPodWhoseResizeIsInfeasibleKeepsWhatItHasAndNoMore() {
        runBesideAFullZone("grows", 2);
        resizeInfeasibly("grows", 6);

        nodes.create(SimplePod.named("fits"), 5);

        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.isRunning("fits"));
        awaitExact(3);
        nodes.assertNobodyRefused();
    }

    @Test
    void aPodThatAsksForLessInVainKeepsItsRecord() {
        runBesideAFullZone("shrinks", 6);
        resizeInfeasibly("shrinks", 2);
        awaitSpecInBridge("shrinks");

        nodes.create(SimplePod.named("waits"), 2);
        BridgedNodes.quiet(QUIET);

        assertThat(pods.isRunning("waits")).isFalse();
        assertThat(snapshot().confidence()).isEqualTo(Confidence.EXACT);
        nodes.assertNobodyRefused();
        pods.delete("shrinks");
        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.isRunning("waits"));
    }

    /** A later object of another pod is known only after it: the watch keeps the order. */
    private void awaitSpecInBridge(String pod) {
        Pod shown = pods.get(pod);
        assertThat(shown.getStatus().getContainerStatuses().get(0).getAllocatedResources())
                .as("the kubelet keeps to what it has")
                .isNotEqualTo(
                        shown.getSpec().getContainers().get(0).getResources().getRequests());
        nodes.create(SimplePod.named("marker").scheduledBy("nobody"), 1);
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() ->
                        nodes.bridge().cluster().pods().get("default/marker").isPresent());
    }

    @Test
    void anAcceptedResizeOfABurstablePodChangesSumsAndNoZones() {
        assumeThat(SimCluster.cgroupObstacle()).as("kubelets have cgroups").isEmpty();
        pods.create(SimplePod.named("shares").burstable("c", "cpu=1", "memory=1Gi"));
        nodes.awaitRunning(1);
        resize("shares", "\"requests\":{\"cpu\":\"9\"}");
        await("the kubelet has done it")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> pods.get("shares")
                        .getStatus()
                        .getContainerStatuses()
                        .get(0)
                        .getAllocatedResources()
                        .get("cpu")
                        .toString()
                        .equals("9"));

        nodes.create(SimplePod.named("waits"), 7);
        BridgedNodes.quiet(QUIET);

        assertThat(pods.isRunning("waits")).as("9 and 7 of 15 CPUs").isFalse();
        assertThat(nodeReasons("waits")).anyMatch(reason -> reason.contains("other pods request all but 6 of 15"));
        assertThat(snapshot().pods()).as("holders of zones").isEmpty();
        assertThat(snapshot().confidence()).isEqualTo(Confidence.EXACT);
        resize("shares", "\"requests\":{\"cpu\":\"8\"}");
        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.isRunning("waits"));
        nodes.assertNobodyRefused();
    }
}
