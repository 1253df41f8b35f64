package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Two zones of 4 CPUs and a GPU each; a pod whose init container requests more than its app container. */
class InitContainerAllocationsTest {

    private final TestCluster cluster = new TestCluster();

    private static String withInit(String init, String app, String cpus) {
        return ClusterYaml.running("a", "n", app, cpus)
                .replace(
                        "  nodeName: n",
                        "  nodeName: n\n  initContainers:\n  - {name: init, image: x, resources: {limits: {%s}}}"
                                .formatted(init));
    }

    /** The free amounts of a resource, zone by zone. */
    private List<Long> free(String resource) {
        NodeSnapshot snapshot = cluster.snapshot("n");
        KubeletModel kubelet = snapshot.model().kubelet().orElseThrow();
        return kubelet.machine().topology().numaNodes().stream()
                .map((NumaNode zone) -> ZoneAmounts.free(kubelet, snapshot.now().orElseThrow(), zone)
                        .get(resource))
                .toList();
    }

    @Test
    void keptCpusLieWhereTheModelPredictsThePod() {
        cluster.apply(ClusterYaml.node("n"), withInit("cpu: \"3\", memory: 1Gi", "cpu: \"1\", memory: 1Gi", "1"));

        assertThat(free("cpu")).containsExactly(1000L, 4000L);
        assertThat(PodNames.ALL.text(cluster.snapshot("n").reason()))
                .contains("finished init containers", "pod=default/a");
    }

    @Test
    void keptCpusLieInTheZoneWhereThePodIsObserved() {
        cluster.apply(ClusterYaml.node("n"), withInit("cpu: \"3\", memory: 1Gi", "cpu: \"1\", memory: 1Gi", "5"));

        assertThat(free("cpu")).containsExactly(4000L, 1000L);
    }

    @Test
    void keptCpusNeverOverlapObservedOnes() {
        cluster.apply(
                ClusterYaml.node("n"),
                withInit("cpu: \"3\", memory: 1Gi", "cpu: \"1\", memory: 1Gi", "1"),
                ClusterYaml.running("b", "n", "cpu: \"1\", memory: 1Gi", "2"));

        assertThat(free("cpu")).containsExactly(0L, 4000L);
        assertThat(cluster.snapshot("n").pods())
                .extracting(PodHolding::source)
                .containsOnly(PlacementSource.OBSERVED_EXACTLY);
    }

    /** Today's state may not be the one in which the kubelet admitted the pod. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            c=1 init=6-8   | 3000, 1000
            c=2 init=6-8   | 0, 4000
            c=1 init=4-8   | 0, 4000
            c=1 init=6-7   | 0, 4000
            c=1            | 0, 4000
            """)
    void keptCpusArePredictedOnesIfTheOtherContainersHaveGotTheirs(String predicted, String free) {
        String record = predicted
                .strip()
                .replaceAll("(\\w+)=(\\S+)", "{\"name\":\"$1\",\"cpus\":\"$2\"}")
                .replace(' ', ',');
        String pod = withInit("cpu: \"4\", memory: 1Gi", "cpu: \"1\", memory: 1Gi", "1");
        cluster.apply(
                ClusterYaml.node("n"),
                pod.replaceFirst(
                        "annotations: \\{",
                        "annotations: {numaledger.io/placement-predicted: '{\"containers\":[" + record + "]}', "));

        assertThat(free("cpu")).hasToString("[" + free + "]");
    }

    @Test
    void usesPublishedInitContainerResources() {
        String pod = withInit("cpu: \"3\", memory: 1Gi, nvidia.com/gpu: \"1\"", "cpu: \"1\", memory: 1Gi", "1");
        cluster.apply(
                whereInitContainersArePublished(),
                pod.replace(
                        "\"cpus\":\"1\"}]",
                        "\"cpus\":\"1\"},{\"name\":\"init\",\"cpus\":\"7-8\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"1\",\"ids\":[\"g1\"]}]}]"));

        assertThat(free("cpu")).containsExactly(3000L, 2000L);
        assertThat(free("nvidia.com/gpu")).containsExactly(1L, 0L);
        assertThat(cluster.snapshot("n").confidence()).isEqualTo(Confidence.EXACT);
    }

    private static String whereInitContainersArePublished() {
        return ClusterYaml.node("n")
                .replace(
                        "- {name: cpuManagerPolicy, value: static}\n",
                        "- {name: cpuManagerPolicy, value: static}\n- {name: initContainerResources, value: published}\n");
    }

    @Test
    void chargesDevicesThatOnlyTheInitContainerRequested() {
        cluster.apply(
                ClusterYaml.node("n"),
                withInit("cpu: \"1\", memory: 1Gi, nvidia.com/gpu: \"1\"", "cpu: \"1\", memory: 1Gi", "5"));

        assertThat(free("nvidia.com/gpu")).containsExactly(1L, 0L);
    }

    @Test
    void chargesNothingThatTheAppContainerReuses() {
        cluster.apply(ClusterYaml.node("n"), withInit("cpu: \"2\", memory: 1Gi", "cpu: \"3\", memory: 1Gi", "1-3"));

        assertThat(free("cpu")).containsExactly(1000L, 4000L);
    }

    /** With prefer-align-cpus-by-uncorecache it may take other ones, though it requests more. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            cpu: "2", memory: 1Gi                       | predicted
            cpu: 100m, memory: 1Gi, nvidia.com/gpu: "1" | predicted
            cpu: 100m, memory: 1Gi                      | exact
            """)
    void neverClaimsThatItTakesOverWhatInitContainersHad(String init, String confidence) {
        cluster.apply(
                ClusterYaml.node("n"),
                withInit(init, "cpu: \"3\", memory: 1Gi, nvidia.com/gpu: \"1\"", "1-3")
                        .replace(
                                "\"cpus\":\"1-3\"",
                                "\"cpus\":\"1-3\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"0\",\"ids\":[\"g0\"]}]"));

        assertThat(free("nvidia.com/gpu")).containsExactly(0L, 1L);
        assertThat(cluster.snapshot("n").confidence()).hasToString(confidence);
    }

    /** No zone has 5 CPUs: the kubelet has admitted the pod under another policy, and was started again. */
    @Test
    void chargesWhatTheInitContainerRequestedWhereTheModelWouldRefuseThePod() {
        cluster.apply(
                ClusterYaml.node("n"),
                withInit("cpu: \"5\", memory: 1Gi, nvidia.com/gpu: \"1\"", "cpu: \"1\", memory: 1Gi", "5"));

        assertThat(free("nvidia.com/gpu")).containsExactly(1L, 0L);
        assertThat(cluster.snapshot("n").assumptions())
                .extracting(Assumption::code)
                .containsExactly("init-containers");
    }
}
