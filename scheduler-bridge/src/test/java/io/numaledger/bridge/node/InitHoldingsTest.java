package io.numaledger.bridge.node;

import io.numaledger.bridge.Cluster;
import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Two zones of 4 CPUs and a GPU each; a pod whose init container had more than its app container has. */
class InitHoldingsTest {

    private final Ledger ledger = new Ledger(PictureSettings.DEFAULT, (pod, reservation) -> {});

    private static String withInit(String init, String app, String cpus) {
        return Cluster.running("a", "n", app, cpus)
                .replace(
                        "  nodeName: n",
                        "  nodeName: n\n  initContainers:\n  - {name: init, image: x, resources: {limits: {%s}}}"
                                .formatted(init));
    }

    private void see(String... documents) {
        ClusterObjects objects = Cluster.read(documents);
        objects.nodes().values().forEach(ledger::nodeSeen);
        objects.topologies().values().forEach(ledger::topologySeen);
        objects.pods().forEach(ledger::podSeen);
    }

    /** Of the resource, zone by zone. */
    private List<Long> free(String resource) {
        NodePicture picture = ledger.picture("n").orElseThrow();
        KubeletModel kubelet = picture.model().kubelet().orElseThrow();
        return kubelet.machine().topology().numaNodes().stream()
                .map((NumaNode zone) -> NodeJson.free(kubelet, picture.now().orElseThrow(), zone)
                        .get(resource))
                .toList();
    }

    @Test
    void chargesWhatIsKeptWhereTheModelPredictsThePod() {
        see(Cluster.node("n"), withInit("cpu: \"3\", memory: 1Gi", "cpu: \"1\", memory: 1Gi", "1"));

        assertThat(free("cpu")).containsExactly(1000L, 4000L);
        assertThat(ledger.picture("n").orElseThrow().reason()).contains("finished init containers", "pod=default/a");
    }

    @Test
    void chargesItInTheZoneWhereThePodIsObserved() {
        see(Cluster.node("n"), withInit("cpu: \"3\", memory: 1Gi", "cpu: \"1\", memory: 1Gi", "5"));

        assertThat(free("cpu")).containsExactly(4000L, 1000L);
    }

    @Test
    void makesRoomForWhatIsObservedOfOthers() {
        see(
                Cluster.node("n"),
                withInit("cpu: \"3\", memory: 1Gi", "cpu: \"1\", memory: 1Gi", "1"),
                Cluster.running("b", "n", "cpu: \"1\", memory: 1Gi", "2"));

        assertThat(free("cpu")).containsExactly(0L, 4000L);
        assertThat(ledger.picture("n").orElseThrow().pods())
                .extracting(HeldPod::source)
                .containsOnly(RecordSource.OBSERVED_EXACTLY);
    }

    @Test
    void takesWhatAnAgentReadsFromTheKubeletsStateFilesForTheWholeTruth() {
        String pod = withInit("cpu: \"3\", memory: 1Gi, nvidia.com/gpu: \"1\"", "cpu: \"1\", memory: 1Gi", "1");
        see(
                whereInitContainersArePublished(),
                pod.replace(
                        "\"cpus\":\"1\"}]",
                        "\"cpus\":\"1\"},{\"name\":\"init\",\"cpus\":\"7-8\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"1\",\"ids\":[\"g1\"]}]}]"));

        assertThat(free("cpu")).containsExactly(3000L, 2000L);
        assertThat(free("nvidia.com/gpu")).containsExactly(1L, 0L);
        assertThat(ledger.picture("n").orElseThrow().confidence()).isEqualTo(Confidence.EXACT);
    }

    private static String whereInitContainersArePublished() {
        return Cluster.node("n")
                .replace(
                        "- {name: cpuManagerPolicy, value: static}\n",
                        "- {name: cpuManagerPolicy, value: static}\n- {name: initContainerResources, value: published}\n");
    }

    @Test
    void chargesDevicesThatOnlyTheInitContainerHad() {
        see(
                Cluster.node("n"),
                withInit("cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"1\"", "cpu: \"1\", memory: 1Gi", "5"));

        assertThat(free("nvidia.com/gpu")).containsExactly(1L, 0L);
    }

    @Test
    void chargesNothingWhereTheAppContainerTookItAll() {
        see(Cluster.node("n"), withInit("cpu: \"2\", memory: 1Gi", "cpu: \"3\", memory: 1Gi", "1-3"));

        assertThat(free("cpu")).containsExactly(1000L, 4000L);
        assertThat(ledger.picture("n").orElseThrow().confidence()).isEqualTo(Confidence.EXACT);
    }
}
