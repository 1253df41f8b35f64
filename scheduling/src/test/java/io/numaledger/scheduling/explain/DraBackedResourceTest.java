package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.NumaNodes;
import io.numaledger.evaluation.claim.ResourceSlice;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** A node of two zones with 4 CPUs each. A DeviceClass serves {@code example.com/vf} with the devices of a driver. */
class DraBackedResourceTest {

    private static final String DRIVER = "vf.example.com";
    private static final String CPUS = "cpu: 2, memory: 1Gi";

    private final TestCluster cluster = new TestCluster();

    @BeforeEach
    void publishTheClass() {
        cluster.state
                .claims()
                .classChanged(new DeviceClass(
                        "vf",
                        List.of("device.driver == '%s'".formatted(DRIVER)),
                        Optional.of("example.com/vf"),
                        Optional.empty()));
    }

    private void apply(String plugin, int... numaNodes) {
        String node = ClusterYaml.node("n")
                .replace(
                        "allocatable: {",
                        "allocatable: {cpu: \"8\", memory: 16Gi, pods: \"9\", "
                                + (plugin.isEmpty() ? "" : plugin + ", "))
                .replace("capacity: {nvidia", "capacity: {" + (plugin.isEmpty() ? "" : plugin + ", ") + "nvidia");
        cluster.apply(node);
        List<Device> devices = IntStream.range(0, numaNodes.length)
                .mapToObj(index -> device("vf-" + index, numaNodes[index]))
                .toList();
        cluster.state.claims().sliceChanged(new ResourceSlice("n", DRIVER, "n", 1, 1, devices, List.of()));
    }

    private static Device device(String name, int numaNode) {
        TreeMap<String, DeviceAttribute> attributes = new TreeMap<>();
        attributes.put(NumaNodes.STANDARD, DeviceAttribute.ofInt(numaNode));
        return new Device(
                new DeviceId(DRIVER, "n", name),
                Optional.of("n"),
                NumaNodes.of(attributes),
                attributes,
                Collections.emptySortedMap(),
                List.of(),
                false,
                false);
    }

    private static PodFacts pod(String limits, String annotations) {
        return ClusterYaml.parsePod(ClusterYaml.pod("x", CPUS + ", " + limits, annotations, "", ""));
    }

    private Explanation explain(String limits, String annotations) {
        return Explanation.ofAll(cluster.state, pod(limits, annotations)).get(0);
    }

    private String reasons(String limits) {
        return String.join(
                " / ",
                explain(limits, "").nodeReasons().stream()
                        .map(PodNames.ALL::text)
                        .toList());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            example.com/vf: 2                           | ''
            deviceclass.resource.kubernetes.io/vf: 1    | ''
            example.com/vf: 3                           | too few devices for the pod's claims; free devices of class vf (3 are needed): 1 on node-0, 1 on node-1
            example.com/other: 1                        | the node has no example.com/other
            """)
    void countsFreeDevicesOfTheClass(String limits, String reasons) {
        apply("", 0, 1);
        assertThat(reasons(limits)).isEqualTo(reasons);
    }

    @Test
    void aNodeWithoutDevicesOfTheClassHasTooFew() {
        apply("");
        assertThat(reasons("example.com/vf: 1"))
                .isEqualTo("too few devices for the pod's claims; free devices of class vf: none");
        assertThat(cluster.state.offersDevices("n", pod("example.com/vf: 1", "")))
                .isFalse();
    }

    @Test
    void theNodeFollowsTheClass() {
        apply("", 0, 1);
        assertThat(cluster.state.offersDevices("n", pod("example.com/vf: 1", "")))
                .isTrue();
        long version = cluster.state.versions().last();
        cluster.state.claims().classDeleted("vf");
        assertThat(cluster.state.versions().last()).isGreaterThan(version);
        assertThat(reasons("example.com/vf: 1")).isEqualTo("the node has no example.com/vf");
    }

    @Test
    void aDevicePluginComesFirst() {
        apply("", 0, 1);
        cluster.state
                .claims()
                .classChanged(new DeviceClass("gpu", List.of(), Optional.of("nvidia.com/gpu"), Optional.empty()));
        assertThat(reasons("nvidia.com/gpu: 3")).isEqualTo("needs 3 nvidia.com/gpu; the node has 2 allocatable");
        Explanation one = explain("nvidia.com/gpu: 1", ", annotations: {numaledger.io/claim-alignment: required}");
        assertThat(one.schedulable()).isTrue();
        assertThat(one.notAligned()).extracting(NotAligned::reason).doesNotContain(NotAligned.Reason.CLAIMED_DEVICES);
    }

    @Test
    void aPluginThatIsGoneDoesNotCome() {
        apply("example.com/vf: \"0\"", 0, 1);
        assertThat(explain("example.com/vf: 1", "").schedulable()).isTrue();
        cluster.state.claims().classDeleted("vf");
        assertThat(explain("example.com/vf: 1", "").schedulable()).isFalse();
    }

    @Test
    void aVerdictAboutClaimedDevicesIsNotExact() {
        apply("", 0, 1);
        Explanation explanation = explain("example.com/vf: 1", "");
        assertThat(explanation.node().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(explanation.confidence()).isEqualTo(Confidence.PREDICTED);
        assertThat(explanation.notAligned())
                .containsExactly(
                        new NotAligned(
                                NotAligned.Reason.CLAIMED_DEVICES,
                                "kube-scheduler chooses the devices of the pod's claims, and the kubelet does not align them with its CPUs and memory; numaledger.io/claim-alignment: required refuses nodes where they would lie on other NUMA nodes"));
        assertThat(explain("nvidia.com/gpu: 1", "").confidence()).isEqualTo(Confidence.EXACT);
    }

    @Test
    void noZonesAreNeededForIt() {
        cluster.apply(ClusterYaml.node("n").replaceFirst("(?s)---\napiVersion: topology.*", ""));
        String devices = "resources: {limits: {%s: 1}}";
        PodFacts served = ClusterYaml.parsePod(shared(devices.formatted("example.com/vf")));
        PodFacts other = ClusterYaml.parsePod(shared(devices.formatted("example.com/other")));
        assertThat(cluster.snapshot("n").model().kubelet()).isEmpty();
        assertThat(served.needsAlignment(
                        cluster.snapshot("n").node().constraints().draBacked()))
                .isFalse();
        assertThat(other.needsAlignment(
                        cluster.snapshot("n").node().constraints().draBacked()))
                .isTrue();
    }

    private static String shared(String resources) {
        return ClusterYaml.pod("x", "", "", "", "")
                .replace("resources: {limits: {}}", resources)
                .replace("status: {qosClass: Guaranteed}", "status: {}");
    }

    @Test
    void theDevicesAreAlignedOnDemand() {
        apply("", 1, 0);
        String required = ", annotations: {numaledger.io/claim-alignment: required}";
        Explanation explanation = explain("example.com/vf: 1", required);
        assertThat(explanation.evaluation())
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .isEqualTo(
                                        "CPUs would come from node-0; kube-scheduler would allocate vf-0 of driver vf.example.com, on node-1"));
        assertThat(explanation.confidence()).isEqualTo(Confidence.PREDICTED);
        assertThat(cluster.evaluate(List.of("n"), pod("example.com/vf: 1", required))
                        .get(0)
                        .admits())
                .isFalse();
        assertThat(cluster.evaluate(List.of("n"), pod("example.com/vf: 1", ""))
                        .get(0)
                        .admits())
                .isTrue();
    }
}
