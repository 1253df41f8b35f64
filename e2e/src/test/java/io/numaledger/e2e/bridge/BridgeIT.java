package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiobjects.view.ExplanationJson;
import io.numaledger.bridge.run.PendingPods;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.objects.PodManifest;
import io.numaledger.scheduling.explain.Explanation;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** kube-scheduler with the bridge keeps pods off nodes whose kubelet would refuse them, and fills the rest to the last zone. */
class BridgeIT {

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start("""
            nodes:
            - name: crossed
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes:
              - {id: 0, cores: 9, memory: 16Gi}
              - {id: 1, cores: 8, memory: 16Gi}
              devices:
              - {resource: nvidia.com/gpu, count: 1, numaNodes: [0]}
              - {resource: example.com/nic, count: 1, numaNodes: [0]}
            - name: straight
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes:
              - {id: 0, cores: 9, memory: 16Gi}
              - {id: 1, cores: 8, memory: 16Gi}
              devices:
              - {resource: nvidia.com/gpu, count: 1, numaNodes: [1]}
              - {resource: example.com/nic, count: 1, numaNodes: [1]}
            - name: eight
              kubelet: {topologyManagerPolicy: restricted, topologyManagerScope: pod}
              numaNodes:
              - {id: 0, cores: 9, memory: 16Gi}
              - {id: 1, cores: 8, memory: 16Gi}
              devices:
              - {resource: example.com/gpu8, count: 4, numaNodes: [0]}
              - {resource: example.com/gpu8, count: 4, numaNodes: [1]}
            - name: single
              kubelet: {topologyManagerPolicy: single-numa-node, topologyManagerScope: pod}
              numaNodes:
              - {id: 0, cores: 9, memory: 16Gi}
              - {id: 1, cores: 8, memory: 16Gi}
              devices:
              - {resource: example.com/gpu8, count: 4, numaNodes: [0]}
              - {resource: example.com/gpu8, count: 4, numaNodes: [1]}
            - name: small
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes:
              - {id: 0, cores: 5, memory: 8Gi}
              - {id: 1, cores: 4, memory: 8Gi}
              devices:
              - {resource: example.com/small, count: 50, numaNodes: []}
            - name: loose
              kubelet: {topologyManagerPolicy: best-effort}
              numaNodes:
              - {id: 0, cores: 5, memory: 8Gi}
              - {id: 1, cores: 4, memory: 8Gi}
              devices:
              - {resource: example.com/loose, count: 50, numaNodes: []}
            """, List.of()));

    private final ClusterPods pods = nodes.pods();

    private void create(SimplePod pod, String... limits) {
        pods.create(pod.with("c", limits));
    }

    private void awaitRuns(String pod) {
        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.isRunning(pod));
    }

    private void assertNoneFailed() {
        assertThat(pods.all()).noneMatch(pod -> pod.getStatus().getPhase().equals("Failed"));
    }

    /** The scheduler has tried every pod that is left, and said why it cannot be placed. */
    private void awaitUnschedulable(long count) {
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> pods.all().stream()
                                .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
                                .filter(pod -> pod.getStatus().getConditions().stream()
                                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason())))
                                .count()
                        == count);
    }

    @Test
    void keepsAPodOffANodeWhoseFreeGpuAndFreeCpusAreApart() {
        create(SimplePod.named("filler-a").on("crossed"), "cpu=8", "memory=1Gi");
        create(SimplePod.named("filler-b").on("straight"), "cpu=8", "memory=1Gi");
        nodes.awaitRunning(2);
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.bridge().cluster().reservations() == 0
                        && List.of("crossed", "straight").stream()
                                .allMatch(node -> nodes.bridge()
                                                .cluster()
                                                .snapshot(node)
                                                .orElseThrow()
                                                .pods()
                                                .size()
                                        == 1));

        create(SimplePod.named("aligned"), "cpu=4", "memory=2Gi", "nvidia.com/gpu=1", "example.com/nic=1");

        nodes.awaitRunning(3);
        assertThat(pods.get("aligned").getSpec().getNodeName()).isEqualTo("straight");
    }

    @Test
    void runsExactlyThePlaceableOnesOfABurstOfSingleGpuPods() {
        IntStream.range(0, 10)
                .forEach(i -> create(SimplePod.named("gpu-" + i), "cpu=3", "memory=1Gi", "example.com/gpu8=1"));

        nodes.awaitRunning(8);
        awaitUnschedulable(2);
        assertNoneFailed();
    }

    @Test
    void runsAnEightGpuPodOverBothZonesWhereThatIsAllowedAndExplainsItElsewhere() throws IOException {
        Pod pod = SimplePod.named("wide")
                .with("c", "cpu=10", "memory=20Gi", "example.com/gpu8=8")
                .build();
        nodes.client().resource(pod).create();

        nodes.awaitRunning(1);
        assertThat(pods.get("wide").getSpec().getNodeName()).isEqualTo("eight");
        JsonNode single = explain(pod, "single");
        assertThat(single.path("fits").asBoolean()).isFalse();
        assertThat(single.path("reason").asText()).isEqualTo("TopologyAffinityError");
        assertThat(single.path("message").asText()).contains("8 example.com/gpu8");
        assertThat(single.path("advice").asText()).startsWith("the pod does not fit this node even without other pods");
    }

    private static JsonNode explain(Pod pod, String node) throws IOException {
        PodFacts facts = PodManifest.read(Serialization.asJson(pod)).pod();
        return Explanation.ofAll(nodes.bridge().cluster(), facts).stream()
                .map(ExplanationJson::full)
                .filter(verdict -> verdict.path("node").asText().equals(node))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void runsTwoOfThreePodsWhoseCpusFillTwoZones() {
        create(SimplePod.named("three-a"), "cpu=3", "memory=1Gi", "example.com/small=1");
        create(SimplePod.named("three-b"), "cpu=3", "memory=1Gi", "example.com/small=1");
        create(SimplePod.named("two"), "cpu=2", "memory=1Gi", "example.com/small=1");

        nodes.awaitRunning(2);
        awaitUnschedulable(1);
        assertNoneFailed();
    }

    /** Both zones of the node have 1 CPU free; then one has 4. */
    @Test
    void runsWhoeverHasWaitedLongerFirst() {
        pods.create(small("filler-a", 3).on("small"));
        pods.create(small("filler-b", 3).on("small"));
        nodes.awaitRunning(2);
        pods.create(small("older", 2));
        awaitUnschedulable(1);
        BridgedNodes.quiet(PendingPods.HOLD_AFTER); // a pod that was refused now has waited long enough
        pods.create(small("younger", 3));
        awaitUnschedulable(2);

        deleteNow("filler-a");

        awaitRuns("older");
        deleteNow("older");
        awaitRuns("younger");
    }

    /** Nothing happens in the cluster that would make kube-scheduler try the second pod again: the bridge sees to it. */
    @Test
    void runsAPodThatWasRefusedForOneThatNobodyAsksAboutAnyMore() {
        pods.create(small("filler-a", 3).on("small"));
        pods.create(small("filler-b", 3).on("small"));
        nodes.awaitRunning(2);
        pods.create(small("abandoned", 2).scheduledBy("nobody"));
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() ->
                        nodes.bridge().cluster().pods().get("default/abandoned").isPresent());
        assertThat(nodes.cluster().filter(pods.get("abandoned"), "small")).contains("\"NodeNames\":[]");
        assertThat(nodes.cluster().metrics()).contains("numaledger_bridge_pending_pods 1.0");
        BridgedNodes.quiet(PendingPods.HOLD_AFTER); // a pod that was refused now has waited long enough
        deleteNow("filler-a");
        await("the bridge knows what the deletion has freed, before kube-scheduler calls for another pod")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() ->
                        nodes.bridge().cluster().pods().get("default/filler-a").isEmpty()
                                && nodes.bridge()
                                        .cluster()
                                        .snapshots("small")
                                        .filter(states -> states.others().isEmpty())
                                        .isPresent());
        pods.create(small("younger", 3));

        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> conditions("younger").contains("reserved for an older pending pod"));
        awaitRuns("younger");
        assertThat(conditions("younger")).contains("numaledger.io/SchedulingRetryRequested");
    }

    private void deleteNow(String pod) {
        nodes.client().resource(pods.get(pod)).withGracePeriod(0).delete();
    }

    private static SimplePod small(String name, int cpus) {
        return SimplePod.named(name).with("c", "cpu=" + cpus, "memory=1Gi", "example.com/small=1");
    }

    private String conditions(String pod) {
        return pods.get(pod).getStatus().getConditions().toString();
    }

    @Test
    void holdsTheCeilingOfAPodsSpan() {
        pods.create(spanning(SimplePod.named("narrow"), "1", 6));
        awaitUnschedulable(1);
        // At first, it may wait for what another test has left. Beside the next pod, the scheduler itself refuses it.
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("narrow").contains("NumaUnschedulable"));
        pods.create(spanning(SimplePod.named("broad"), "2", 6));
        nodes.awaitRunning(1);
        pods.create(spanning(SimplePod.named("wrong"), "many", 1));
        awaitUnschedulable(2);

        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("wrong").contains("InvalidNumaSpread"));
    }

    /** Somebody else bound it: the bridge sees what came of it, and says so once. */
    @Test
    void tellsOfAPodThatIsObservedOverMoreZonesThanItAllows() {
        pods.create(spanning(SimplePod.named("astray").on("loose"), "1", 6));

        nodes.awaitRunning(1);
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("astray").contains("NumaSpreadExceeded"));
        assertThat(nodes.cluster().metrics()).contains("numaledger_bridge_spread_violations_total 1.0");
        assertThat(nodes.reasons("astray")).containsOnlyOnce("NumaSpreadExceeded");
    }

    private static SimplePod spanning(SimplePod pod, String zones, int cpus) {
        return pod.annotated(Annotations.MAX_NUMA_SPREAD, zones)
                .with("c", "cpu=" + cpus, "memory=1Gi", "example.com/loose=1");
    }
}
