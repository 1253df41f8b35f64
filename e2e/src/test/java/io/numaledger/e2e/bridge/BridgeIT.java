package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.explain.Explanation;
import io.numaledger.bridge.explain.ExplanationJson;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodManifest;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** kube-scheduler with the bridge keeps pods off nodes whose kubelet would refuse them, and fills the rest to the last zone. */
class BridgeIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    private static BridgedCluster bridged;

    @BeforeAll
    static void start() {
        bridged = BridgedCluster.start(RealKubernetes.binaries(), """
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
                """, ChartRights::credentials);
    }

    @AfterAll
    static void stop() {
        if (bridged != null) {
            bridged.close();
        }
    }

    @AfterEach
    void deletePods() {
        bridged.cluster().client().pods().inNamespace("default").delete();
        await().atMost(TIMEOUT).until(() -> pods().isEmpty());
        await().atMost(TIMEOUT).until(() -> bridged.bridge().cluster().podCount() == 0);
    }

    private static Map<String, Pod> pods() {
        Map<String, Pod> pods = new TreeMap<>();
        bridged.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .list()
                .getItems()
                .forEach(pod -> pods.put(pod.getMetadata().getName(), pod));
        return pods;
    }

    private static void create(Pod pod) {
        bridged.cluster().client().resource(pod).create();
    }

    private static long inPhase(String phase) {
        return pods().values().stream()
                .filter(pod -> pod.getStatus().getPhase().equals(phase))
                .count();
    }

    private static void awaitRunning(long count) {
        await().atMost(TIMEOUT).until(() -> inPhase("Running") == count);
    }

    /** The scheduler has tried every pod that is left, and said why it cannot be placed. */
    private static void awaitUnschedulable(long count) {
        await().atMost(TIMEOUT)
                .until(() -> pods().values().stream()
                                .filter(pod -> pod.getStatus().getPhase().equals("Pending"))
                                .filter(pod -> pod.getStatus().getConditions().stream()
                                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason())))
                                .count()
                        == count);
    }

    @Test
    void keepsAPodOffANodeWhoseFreeGpuAndFreeCpusAreApart() {
        create(SimplePod.named("filler-a")
                .on("crossed")
                .with("c", "cpu=8", "memory=1Gi")
                .build());
        create(SimplePod.named("filler-b")
                .on("straight")
                .with("c", "cpu=8", "memory=1Gi")
                .build());
        awaitRunning(2);
        await().atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().reservations() == 0
                        && List.of("crossed", "straight").stream()
                                .allMatch(node -> bridged.bridge()
                                                .cluster()
                                                .snapshot(node)
                                                .orElseThrow()
                                                .pods()
                                                .size()
                                        == 1));

        create(SimplePod.named("aligned")
                .with("c", "cpu=4", "memory=2Gi", "nvidia.com/gpu=1", "example.com/nic=1")
                .build());

        awaitRunning(3);
        assertThat(pods().get("aligned").getSpec().getNodeName()).isEqualTo("straight");
    }

    @Test
    void runsExactlyThePlaceableOnesOfABurstOfSingleGpuPods() {
        IntStream.range(0, 10)
                .forEach(i -> create(SimplePod.named("gpu-" + i)
                        .with("c", "cpu=3", "memory=1Gi", "example.com/gpu8=1")
                        .build()));

        awaitRunning(8);
        awaitUnschedulable(2);
        assertThat(inPhase("Failed")).isZero();
    }

    @Test
    void runsAnEightGpuPodOverBothZonesWhereThatIsAllowedAndExplainsItElsewhere() throws IOException {
        Pod pod = SimplePod.named("wide")
                .with("c", "cpu=10", "memory=20Gi", "example.com/gpu8=8")
                .build();
        create(pod);

        awaitRunning(1);
        assertThat(pods().get("wide").getSpec().getNodeName()).isEqualTo("eight");
        JsonNode single = explain(pod, "single");
        assertThat(single.path("fits").asBoolean()).isFalse();
        assertThat(single.path("reason").asText()).isEqualTo("TopologyAffinityError");
        assertThat(single.path("message").asText()).contains("8 example.com/gpu8");
        assertThat(single.path("advice").asText()).startsWith("the pod does not fit this node even without other pods");
    }

    private static JsonNode explain(Pod pod, String node) throws IOException {
        PodFacts facts = PodManifest.read(Serialization.asJson(pod)).pod();
        return Explanation.ofAll(bridged.bridge().cluster(), facts).stream()
                .map(ExplanationJson::full)
                .filter(verdict -> verdict.path("node").asText().equals(node))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void runsTwoOfThreePodsWhoseCpusFillTwoZones() {
        create(SimplePod.named("three-a")
                .with("c", "cpu=3", "memory=1Gi", "example.com/small=1")
                .build());
        create(SimplePod.named("three-b")
                .with("c", "cpu=3", "memory=1Gi", "example.com/small=1")
                .build());
        create(SimplePod.named("two")
                .with("c", "cpu=2", "memory=1Gi", "example.com/small=1")
                .build());

        awaitRunning(2);
        awaitUnschedulable(1);
        assertThat(inPhase("Failed")).isZero();
    }

    /** Both zones of the node have 1 CPU free; then one has 4. */
    @Test
    void runsWhoeverHasWaitedLongerFirst() {
        create(small("filler-a", 3).on("small").build());
        create(small("filler-b", 3).on("small").build());
        awaitRunning(2);
        create(small("older", 2).build());
        awaitUnschedulable(1);
        awaitWaited();
        create(small("younger", 3).build());
        awaitUnschedulable(2);

        bridged.cluster()
                .client()
                .resource(pods().get("filler-a"))
                .withGracePeriod(0)
                .delete();

        await().atMost(TIMEOUT)
                .until(() -> pods().get("older").getStatus().getPhase().equals("Running"));
        bridged.cluster()
                .client()
                .resource(pods().get("older"))
                .withGracePeriod(0)
                .delete();
        await().atMost(TIMEOUT)
                .until(() -> pods().get("younger").getStatus().getPhase().equals("Running"));
    }

    /** Nothing happens in the cluster that would make kube-scheduler try the second pod again: the bridge sees to it. */
    @Test
    void runsAPodThatWasRefusedForOneThatNobodyAsksAboutAnyMore() {
        create(small("filler-a", 3).on("small").build());
        create(small("filler-b", 3).on("small").build());
        awaitRunning(2);
        create(small("abandoned", 2).scheduledBy("nobody").build());
        await().atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().pod("default/abandoned").isPresent());
        assertThat(bridged.filter(pods().get("abandoned"), "small")).contains("\"NodeNames\":[]");
        assertThat(bridged.metrics()).contains("numaledger_bridge_pending_pods 1.0");
        awaitWaited();
        bridged.cluster()
                .client()
                .resource(pods().get("filler-a"))
                .withGracePeriod(0)
                .delete();
        await("the bridge knows what the deletion has freed, before kube-scheduler asks about another pod")
                .atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().pod("default/filler-a").isEmpty()
                        && bridged.bridge()
                                .cluster()
                                .candidates("small")
                                .filter(states -> states.others().isEmpty())
                                .isPresent());
        create(small("younger", 3).build());

        await().atMost(TIMEOUT).until(() -> reasons("younger").contains("reserved for an older pending pod"));
        await().atMost(TIMEOUT)
                .until(() -> pods().get("younger").getStatus().getPhase().equals("Running"));
        assertThat(reasons("younger")).contains("numaledger.io/SchedulingRetryRequested");
    }

    private static SimplePod small(String name, int cpus) {
        return SimplePod.named(name).with("c", "cpu=" + cpus, "memory=1Gi", "example.com/small=1");
    }

    /** A pod that was refused now has waited long enough. */
    private static void awaitWaited() {
        long begin = System.nanoTime();
        await().atMost(TIMEOUT)
                .until(() -> System.nanoTime() - begin
                        > Bridge.Waiting.DEFAULT.holdAfter().toNanos());
    }

    private static String reasons(String pod) {
        return pods().get(pod).getStatus().getConditions().toString();
    }

    @Test
    void holdsTheCeilingOfAPodsSpan() {
        create(spanning(SimplePod.named("narrow"), "1", 6));
        awaitUnschedulable(1);
        create(spanning(SimplePod.named("broad"), "2", 6));
        awaitRunning(1);
        create(spanning(SimplePod.named("wrong"), "many", 1));
        awaitUnschedulable(2);

        await().atMost(TIMEOUT).until(() -> events("wrong").contains("InvalidNumaSpread"));
        await().atMost(TIMEOUT).until(() -> events("narrow").contains("NumaUnschedulable"));
    }

    /** Somebody else bound it: the bridge sees what came of it, and says so once. */
    @Test
    void tellsOfAPodThatIsObservedOverMoreZonesThanItAllows() {
        create(spanning(SimplePod.named("astray").on("loose"), "1", 6));

        awaitRunning(1);
        await().atMost(TIMEOUT).until(() -> events("astray").contains("NumaSpreadExceeded"));
        assertThat(bridged.metrics()).contains("numaledger_bridge_spread_violations_total 1.0");
        assertThat(events("astray")).containsOnlyOnce("NumaSpreadExceeded");
    }

    private static Pod spanning(SimplePod pod, String zones, int cpus) {
        return new PodBuilder(pod.with("c", "cpu=" + cpus, "memory=1Gi", "example.com/loose=1")
                        .build())
                .editMetadata()
                .addToAnnotations(Annotations.MAX_NUMA_SPREAD, zones)
                .endMetadata()
                .build();
    }

    private static List<String> events(String pod) {
        return bridged.cluster().client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(pod))
                .map(event -> event.getReason())
                .toList();
    }
}
