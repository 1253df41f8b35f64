package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.GpuLinkSettings;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.UnknownNodePolicy;
import io.numaledger.evaluation.snapshot.UnknownNodes;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.explain.Explanation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

/** What is not known of a node for now: which pods wait, and for how long. */
class NodeChangesTest {

    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final PodFacts WITH_NIC =
            ClusterYaml.pending("x", "cpu: \"3\", memory: 1Gi, example.com/nic: \"1\"");
    private static final PodFacts WITHOUT = ClusterYaml.pending("y", "cpu: \"3\", memory: 1Gi");
    private static final PodFacts BURSTABLE = ClusterYaml.parsePod(
            ClusterYaml.pod("z", "cpu: \"3\"", "", "", "").replace("qosClass: Guaranteed", "qosClass: Burstable"));

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private TestCluster cluster = cluster(UnknownNodePolicy.auto);

    private TestCluster cluster(UnknownNodePolicy policy) {
        return new TestCluster(
                new SnapshotSettings(
                        false,
                        new TreeSet<>(),
                        new UnknownNodes(policy, LIMIT),
                        Duration.ZERO,
                        GpuLinkSettings.DEFAULT),
                (pod, reservation) -> {},
                () -> now);
    }

    private String outcome(PodFacts pod) {
        cluster.state.expire();
        Evaluation evaluation = cluster.evaluate(List.of("n"), pod).get(0);
        assertThat(cluster.binds("n", pod)).as("bind decides as filter does").isEqualTo(evaluation.admits());
        assertThat(Explanation.ofAll(cluster.state, pod).get(0).evaluation().admits())
                .as("explain says what filter does")
                .isEqualTo(evaluation.admits());
        return evaluation instanceof Refused refused ? refused.reason().toString() : "admitted";
    }

    private String message(PodFacts pod) {
        return PodNames.ALL.text(((Refused) cluster.evaluate(List.of("n"), pod).get(0)).message());
    }

    private static String agent() {
        return ClusterYaml.nodeOfAgent("n", 4, 4);
    }

    private static final String SEPARATOR = "---\napiVersion: topology";

    /** The Node with so many NICs. */
    private static String node(int nics) {
        String node = agent().substring(0, agent().indexOf(SEPARATOR));
        return node.replace("nvidia.com/gpu: \"2\"", "nvidia.com/gpu: \"2\", example.com/nic: \"%d\"".formatted(nics));
    }

    /** The zones with so many NICs in one of them. */
    private static String zones(int zone, int nics) {
        String zones = agent().substring(agent().indexOf(SEPARATOR));
        String gpu = "  - {name: nvidia.com/gpu";
        int at = zones.indexOf(gpu, zones.indexOf("name: node-" + zone));
        return zones.substring(0, at)
                + "  - {name: example.com/nic, capacity: \"%1$d\", allocatable: \"%1$d\", available: \"%1$d\"}\n"
                        .formatted(nics)
                + zones.substring(at);
    }

    private static String zonesWithoutNics() {
        return agent().substring(agent().indexOf(SEPARATOR));
    }

    @Test
    void holdsPodsForDevicesOfALatePluginUntilTheirZonesArePublished() {
        cluster.apply(agent());
        now = now.plusSeconds(100);
        cluster.apply(node(3));

        assertThat(outcome(WITH_NIC)).isEqualTo("ZonesPending");
        assertThat(message(WITH_NIC))
                .isEqualTo("waits for the node's zones of example.com/nic: the Node's amount of a resource has changed,"
                        + " and its zones are not published again yet: resource=example.com/nic;"
                        + " until 2026-01-01T00:02:10Z at the latest");
        assertThat(outcome(WITHOUT)).isEqualTo("admitted");
        now = now.plusSeconds(1);
        cluster.apply(zones(0, 3));
        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");
        assertThat(cluster.snapshot("n").assumptions()).isEmpty();
    }

    @Test
    void takesAResourceOfNoZoneForOneWithoutDevicePluginAfterTheAgentHasLooked() {
        cluster.apply(agent());
        cluster.apply(node(3));
        now = now.plusSeconds(29);
        assertThat(outcome(WITH_NIC)).isEqualTo("ZonesPending");

        now = now.plusSeconds(1);
        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");
        assertThat(cluster.snapshot("n").assumptions())
                .extracting(each -> each.code())
                .containsExactly("no-device-plugin");
        cluster.apply(node(3).replace("{name: n}", "{name: n, labels: {a: b}}"));
        assertThat(outcome(WITH_NIC)).as("the amount is the same").isEqualTo("admitted");
    }

    @Test
    void holdsNobodyWhereTheAgentWasFasterThanTheNode() {
        cluster.apply(agent());
        cluster.apply(zones(1, 3));
        cluster.apply(node(3));

        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");
    }

    @Test
    void holdsNobodyWhileTheNodeStillShowsADeviceThatTheAgentKnowsHasFailed() {
        cluster.apply(node(3), zones(0, 3));
        cluster.apply(zones(0, 2));
        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");
        cluster.apply(node(2));
        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the zones are others             | 1 | 0  | admitted
            the agent found the same zones   | 0 | 30 | admitted
            the agent has not looked yet     | 0 | 29 | ZonesPending
            """)
    void doesNotBelieveOldZonesAfterAPluginWasReplaced(String situation, int zone, int seconds, String outcome) {
        cluster.apply(node(3), zones(0, 3));
        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");
        cluster.apply(node(0));
        cluster.apply(node(3));
        assertThat(outcome(WITH_NIC)).isEqualTo("ZonesPending");

        cluster.apply(zones(zone, 3));
        now = now.plusSeconds(seconds);
        assertThat(outcome(WITH_NIC)).isEqualTo(outcome);
    }

    @ParameterizedTest(name = "{0}, the Node shows {1} of 3")
    @CsvSource(delimiter = '|', textBlock = """
            admit  | 2 | admitted     | admitted
            hold   | 4 | ZonesPending | ZonesUnknown
            auto   | 2 | ZonesPending | ZonesUnknown
            refuse | 4 | ZonesUnknown | ZonesUnknown
            """)
    void leavesDevicesThatContradictTheNodeToThePolicy(
            UnknownNodePolicy policy, int onNode, String afterALook, String afterTheLimit) {
        cluster = cluster(policy);
        cluster.apply(node(3), zones(0, 3));
        cluster.apply(node(onNode));
        assertThat(outcome(WITH_NIC)).isEqualTo("ZonesPending");

        now = now.plusSeconds(30);
        assertThat(outcome(WITH_NIC)).isEqualTo(afterALook);
        now = now.plus(LIMIT);
        assertThat(outcome(WITH_NIC)).isEqualTo(afterTheLimit);
        assertThat(outcome(WITHOUT)).isEqualTo("admitted");
    }

    @Test
    void believesTheZonesOfAnotherExporterThatHaveTheResource() {
        String foreign = "- {name: initContainerResources, value: published}\n";
        cluster.apply(node(3), zones(0, 3).replace(foreign, ""));
        cluster.apply(node(2));
        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");

        cluster.apply(node(0));
        cluster.apply(zonesWithoutNics().replace(foreign, ""));
        cluster.apply(node(2));
        assertThat(outcome(WITH_NIC)).isEqualTo("ZonesPending");
        now = now.plusSeconds(30);
        assertThat(outcome(WITH_NIC)).isEqualTo("admitted");
    }

    private static String restarting() {
        return ClusterYaml.restarting(agent());
    }

    @Test
    void holdsPodsThatARestartingKubeletCouldRefuse() {
        cluster.apply(agent());
        cluster.apply(restarting());

        assertThat(outcome(WITHOUT)).isEqualTo("KubeletRestarting");
        assertThat(message(WITHOUT))
                .isEqualTo("waits for the node's kubelet: the kubelet restarts, and may refuse pods for what ended pods"
                        + " held until it has heard of its pods; until 2026-01-01T00:10:00Z at the latest");
        assertThat(outcome(BURSTABLE)).isEqualTo("admitted");
        assertThat(outcome(ClusterYaml.pending("h", "cpu: 500m, memory: 1Gi")))
                .as("shared CPUs, and no Memory Manager")
                .isEqualTo("admitted");
        assertThat(outcome(ClusterYaml.pending("g", "cpu: 500m, memory: 1Gi, nvidia.com/gpu: \"1\"")))
                .isEqualTo("KubeletRestarting");
        assertThat(cluster.snapshot("n").unknowns().isRestarting()).isTrue();
        assertThat(Explanation.ofAll(cluster.state, WITHOUT).get(0).advice()).isEmpty();

        cluster.apply(agent());
        assertThat(outcome(WITHOUT)).isEqualTo("admitted");
        assertThat(cluster.snapshot("n").assumptions()).isEmpty();
    }

    @Test
    void doesNotWaitForEverForAnAgentThatHasDied() {
        String notReady = "status:\n  conditions: [{type: Ready, status: \"%s\"}]";
        cluster.apply(restarting().replace("status:", notReady.formatted("False")));
        now = now.plus(LIMIT).plus(LIMIT);
        assertThat(outcome(WITHOUT)).as("the kubelet does not run").isEqualTo("KubeletRestarting");

        cluster.apply(restarting().replace("status:", notReady.formatted("True")));
        now = now.plus(LIMIT).minusSeconds(1);
        assertThat(outcome(WITHOUT)).isEqualTo("KubeletRestarting");
        now = now.plusSeconds(1);
        assertThat(outcome(WITHOUT)).isEqualTo("admitted");
    }

    @Test
    void keepsWhatPodsInFlightHoldWhileTheKubeletRestarts() {
        cluster.apply(agent());
        PodFacts pod = ClusterYaml.pending("a", "cpu: \"4\", memory: 1Gi");
        cluster.state
                .binds()
                .bind("n", pod, evaluation -> evaluation.orElseThrow().admits());
        cluster.apply(ClusterYaml.terminating(ClusterYaml.running("b", "n", "cpu: \"4\", memory: 1Gi", "5-8")));
        cluster.apply(restarting());
        cluster.deletePod("b");
        cluster.apply(agent());

        assertThat(cluster.state.reservations()).isEqualTo(1);
        assertThat(outcome(ClusterYaml.pending("c", "cpu: \"4\", memory: 1Gi"))).isEqualTo("admitted");
    }

    private static String withHugepages(String node) {
        return node.replace("name: memoryManagerPolicy, value: None", "name: memoryManagerPolicy, value: Static")
                .replace("{name: cpu, capacity: \"5\"", """
                        {name: memory, capacity: 8Gi, allocatable: 8Gi, available: 8Gi}
                          - {name: hugepages-1Gi, capacity: 1Gi, allocatable: 1Gi, available: 1Gi}
                          - {name: cpu, capacity: "5\"""")
                .replace("{name: cpu, capacity: \"4\"", """
                        {name: memory, capacity: 8Gi, allocatable: 8Gi, available: 8Gi}
                          - {name: hugepages-1Gi, capacity: 1Gi, allocatable: 1Gi, available: 1Gi}
                          - {name: cpu, capacity: "4\"""");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            admit  | admitted     | admitted
            hold   | ZonesPending | ZonesUnknown
            auto   | ZonesPending | ZonesUnknown
            refuse | ZonesUnknown | ZonesUnknown
            """)
    void leavesHugepagesWithoutSenseToThePolicy(UnknownNodePolicy policy, String atFirst, String afterTheLimit) {
        cluster = cluster(policy);
        cluster.apply(withHugepages(ClusterYaml.node("n")));
        assertThat(cluster.snapshot("n").model().leftOut()).contains("hugepages-1Gi");
        PodFacts pod = ClusterYaml.pending("x", "cpu: \"3\", memory: 1Gi, hugepages-1Gi: 1Gi");

        assertThat(outcome(pod)).isEqualTo(atFirst);
        now = now.plus(LIMIT);
        assertThat(outcome(pod)).isEqualTo(afterTheLimit);
        assertThat(outcome(ClusterYaml.pending("y", "cpu: \"3\", memory: 1Gi"))).isEqualTo("admitted");
        assertThat(outcome(ClusterYaml.pending("z", "cpu: \"9\", memory: 1Gi, hugepages-1Gi: 1Gi")))
                .as("no zone has as many CPUs")
                .isNotEqualTo("admitted");
    }
}
