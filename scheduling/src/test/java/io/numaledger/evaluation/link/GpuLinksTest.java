package io.numaledger.evaluation.link;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.GpuLinkSettings;
import io.numaledger.evaluation.snapshot.GpuPreference;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.evaluation.snapshot.UnknownNodes;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GpuLinksTest {

    /** Lower triangle of a DGX-1 with V100. */
    private static final String CUBE_MESH = "[1,1,2,2,1,2,2,0,0,0,0,2,0,0,1,0,0,1,0,1,2,0,0,0,1,2,1,2]";

    /** The first two GPUs of each NUMA node have a bridge, and the last two. */
    private static final String PAIRS = "[2,0,0,0,0,2,0,0,0,0,0,0,0,0,2,0,0,0,0,0,0,0,0,0,0,0,0,2]";

    private TestCluster cluster = new TestCluster();

    private static TestCluster cluster(GpuLinkSettings links) {
        return new TestCluster(
                new SnapshotSettings(false, new TreeSet<>(), UnknownNodes.DEFAULT, Duration.ZERO, links),
                (pod, reservation) -> {},
                InstantSource.system());
    }

    private static TestCluster clusterWithPreference() {
        return cluster(new GpuLinkSettings(false, new TreeMap<>(Map.of("nvidia.com/gpu", GpuPreference.gpuallocator))));
    }

    /** Four GPUs on each of two NUMA nodes. */
    private static String node(String policy) {
        return ClusterYaml.node("n", policy)
                .replace("gpu: \"2\"", "gpu: \"8\"")
                .replace(
                        "nvidia.com/gpu, capacity: \"1\", allocatable: \"1\", available: \"1\"",
                        "nvidia.com/gpu, capacity: \"4\", allocatable: \"4\", available: \"4\"");
    }

    private static String annotated(String node, String links) {
        String gpus = IntStream.range(0, 8)
                .mapToObj(gpu -> "{\"uuid\":\"GPU-%d\",\"numa\":%d}".formatted(gpu, gpu / 4))
                .collect(Collectors.joining(","));
        return node.replace(
                "metadata: {name: n}\nstatus:",
                "metadata: {name: n, annotations: {numaledger.io/gpu-topology: '{\"v\":1,\"kind\":\"direct\",\"gpus\":[%s],\"links\":%s,\"pcie\":\"%s\"}'}}\nstatus:"
                        .formatted(gpus, links, "?".repeat(28)));
    }

    private static String holder(String name, int zone, String... ids) {
        String record = ids.length == 0
                ? "kai.scheduler/numa-placement-observed: '[{\"zone\":\"node-%d\",\"amount\":{\"nvidia.com/gpu\":\"2\"}}]'"
                        .formatted(zone)
                : "numaledger.io/placement: '{\"version\":1,\"containers\":[{\"name\":\"c\",\"devices\":[{\"resource\":\"nvidia.com/gpu\",\"numaNodes\":\"%d\",\"ids\":[\"%s\"]}]}]}'"
                        .formatted(zone, String.join("\",\"", ids));
        return ClusterYaml.pod(
                name, "nvidia.com/gpu: \"2\"", ", annotations: {" + record + "}", "  nodeName: n", ", phase: Running");
    }

    private static PodFacts pod(int gpus, String annotations) {
        return ClusterYaml.parsePod(ClusterYaml.pod(
                "x", "nvidia.com/gpu: \"%d\"".formatted(gpus), ", annotations: {" + annotations + "}", "", ""));
    }

    private static PodFacts linked(int gpus) {
        return pod(gpus, "numaledger.io/gpu-links: required");
    }

    private Evaluation filter(PodFacts pod) {
        Evaluation filtered = cluster.evaluate(List.of("n"), pod).get(0);
        assertThat(cluster.binds("n", pod)).isEqualTo(filtered.admits());
        return filtered;
    }

    private void apply(String policy, String links, String... pods) {
        cluster.apply(annotated(node(policy), links));
        cluster.apply(pods);
    }

    @Test
    void admitsWhereEverySetOfTheZoneIsLinked() {
        apply("single-numa-node", CUBE_MESH);
        assertThat(filter(linked(4)).admits()).isTrue();
    }

    @Test
    void refusesWhereTheKubeletAlsoDrawsAmongZones() {
        apply("none", CUBE_MESH);
        assertThat(filter(linked(2)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(RefusalReason.GPU_LINKS_MISSING));
        assertThat(filter(pod(2, "numaledger.io/gpu-links: preferred")).admits())
                .isTrue();
    }

    @Test
    void saysWhatIsWrongWithAPublishedTopology() {
        cluster.apply(annotated(node("single-numa-node"), CUBE_MESH).replaceFirst(",\"pcie\":\"[?]*\"", ""));
        assertThat(filter(linked(4)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .isEqualTo(
                                        "the links of this node's free GPUs are unknown: cannot use a GPU topology: annotation=numaledger.io/gpu-topology: field=pcie is missing, expected 28 pairs; the agent of that node writes it anew"));
    }

    @Test
    void refusesWhereOnlySomeSetsOfTheZoneAreLinked() {
        apply("single-numa-node", PAIRS);
        assertThat(filter(linked(2)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .isEqualTo(
                                        "the kubelet chooses among equal GPUs, and only some sets have the links; a set has 0 to 2"));
    }

    @Test
    void admitsWhereSomeSetsAreLinkedIfToldTo() {
        cluster = cluster(new GpuLinkSettings(true, new TreeMap<>()));
        apply("single-numa-node", PAIRS);
        assertThat(filter(linked(2)).admits()).isTrue();
        assertThat(filter(linked(3)).admits()).isFalse();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            both pairs of the zone are free   | single-numa-node |                         | 2 | true
            the plugin chooses from all GPUs  | none             |                         | 2 | true
            one pair and a GPU are free       | single-numa-node | GPU-0/GPU-5             | 2 | true
            no pair is free                   | single-numa-node | GPU-0,GPU-2/GPU-4,GPU-6 | 2 | false
            it is unknown which GPUs are free | single-numa-node | -/-                     | 2 | false
            more GPUs than a pair             | single-numa-node |                         | 3 | false
            """)
    void considersThePreferenceOfThePlugin(
            String situation, String policy, @Nullable String held, int gpus, boolean admitted) {
        cluster = clusterWithPreference();
        apply(policy, PAIRS);
        if (held != null) {
            String[] ids = held.split("/");
            cluster.apply(holderOf(0, ids[0]), holderOf(1, ids[1]));
        }
        assertThat(filter(linked(gpus)).admits()).isEqualTo(admitted);
    }

    private static String holderOf(int zone, String ids) {
        return ids.equals("-") ? holder("a" + zone, zone) : holder("a" + zone, zone, ids.split(","));
    }

    /** It takes any of the init container's GPUs. */
    @Test
    void ignoresThePreferenceWhereAnInitContainerHasGpus() {
        cluster = clusterWithPreference();
        apply("single-numa-node", PAIRS);
        PodFacts pod = ClusterYaml.parsePod(ClusterYaml.pod(
                "x",
                "nvidia.com/gpu: \"2\"",
                ", annotations: {numaledger.io/gpu-links: required}",
                "  initContainers: [{name: i, image: x, resources: {limits: {nvidia.com/gpu: \"4\"}}}]",
                ""));
        assertThat(filter(pod).admits()).isFalse();
    }

    @Test
    void scoresThePreferenceOfThePlugin() {
        PodFacts pod = pod(2, "numaledger.io/gpu-links: preferred");
        apply("single-numa-node", PAIRS);
        assertThat(FullModel.linkScore(cluster.snapshot("n"), pod)).isEqualTo(2);
        cluster = clusterWithPreference();
        apply("single-numa-node", PAIRS);
        assertThat(FullModel.linkScore(cluster.snapshot("n"), pod)).isEqualTo(2 << 8 | 2);
    }

    @Test
    void admitsWhereTheGpusThatAreLeftAreLinked() {
        apply("single-numa-node", PAIRS, holder("a", 0, "GPU-0", "GPU-1"), holder("b", 1, "GPU-4", "GPU-5"));
        assertThat(filter(linked(2)).admits()).isTrue();
    }

    private static String terminating(String holder) {
        return holder.replace(", annotations: {", ", deletionTimestamp: \"2026-11-25T00:00:00Z\", annotations: {");
    }

    @Test
    void refusesWhereATerminatingPodMayFreeOtherGpusOfTheZone() {
        apply(
                "single-numa-node",
                PAIRS,
                terminating(holder("a", 0, "GPU-0", "GPU-1")),
                holder("b", 1, "GPU-4", "GPU-5"));
        assertThat(filter(linked(2)).admits()).isFalse();
    }

    @Test
    void refusesWhereATerminatingPodMayFreeTheGpusOfAnotherZone() {
        apply(
                "single-numa-node",
                PAIRS,
                terminating(holder("a", 0, "GPU-0", "GPU-1")),
                terminating(holder("c", 0, "GPU-2", "GPU-3")),
                holder("b", 1, "GPU-4", "GPU-5"));
        assertThat(filter(linked(2)).admits()).isFalse();
        cluster.deletePod("a");
        cluster.deletePod("c");
        cluster.apply(holder("a", 0, "GPU-0", "GPU-1"), holder("c", 0, "GPU-2", "GPU-3"));
        assertThat(filter(linked(2)).admits()).isTrue();
    }

    @Test
    void refusesWhereItIsUnknownWhichGpusAreLeft() {
        apply("single-numa-node", PAIRS, holder("a", 0), holder("b", 1));
        assertThat(filter(linked(2)).admits()).isFalse();
        assertThat(filter(pod(2, "")).admits()).isTrue();
    }

    @Test
    void refusesWhereTheGpusThatAreLeftAreNotLinked() {
        apply("single-numa-node", PAIRS, holder("a", 0, "GPU-0", "GPU-2"), holder("b", 1, "GPU-4", "GPU-6"));
        assertThat(filter(linked(2))).isInstanceOfSatisfying(Refused.class, refused -> {
            assertThat(PodNames.ALL.text(refused.message()))
                    .isEqualTo("no set of GPUs that the kubelet may choose has the links; a set has at most 0");
            assertThat(refused.summary()).isEqualTo("the pod's GPUs could lack the links that it demands");
        });
    }

    @Test
    void refusesWhereAPodHoldsASliceOfAGpu() {
        apply("single-numa-node", CUBE_MESH, holder("a", 0, "MIG-1", "MIG-2"));
        assertThat(filter(linked(2)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .isEqualTo(
                                        "the links of this node's free GPUs are unknown: a pod holds a device that the GPU topology does not name"));
    }

    private static String labelled(String node, String labels) {
        return node.replace("metadata: {name: n, ", "metadata: {name: n, labels: {" + labels + "}, ");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            slices of MIG    | nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB-MIG-7g.40gb | its devices are slices of MIG
            slices, perhaps  | nvidia.com/mig.strategy: single | its devices may be slices of MIG: the label nvidia.com/mig.strategy=single is there without nvidia.com/gpu.product
            time slicing     | nvidia.com/gpu.sharing-strategy: time-slicing | its GPUs are shared
            MPS              | nvidia.com/gpu.sharing-strategy: mps, nvidia.com/gpu.product: Tesla-V100-SXM2-16GB | its GPUs are shared
            a shared product | nvidia.com/gpu.product: Tesla-V100-SXM2-16GB-SHARED | its GPUs are shared
            """)
    void refusesWhereDevicesAreNotWholeGpus(String situation, String labels, String why) {
        cluster.apply(labelled(annotated(node("single-numa-node"), CUBE_MESH), labels));
        assertThat(filter(linked(2)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .isEqualTo("the links of this node's free GPUs are unknown: " + why));
        assertThat(filter(pod(2, "")).admits()).isTrue();
    }

    /** Strategy {@code single} is a default of NVIDIA's GPU Operator, also where no GPU is in MIG mode. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "nvidia.com/mig.strategy: single, nvidia.com/gpu.product: NVIDIA-A100-SXM4-40GB",
                "nvidia.com/gpu.sharing-strategy: none",
                "nvidia.com/mig.strategy: mixed"
            })
    void admitsWhereDevicesAreWholeGpus(String labels) {
        cluster.apply(labelled(annotated(node("single-numa-node"), CUBE_MESH), labels));
        assertThat(filter(linked(2)).admits()).isTrue();
    }

    @Test
    void refusesWhereMoreDevicesThanGpusExist() {
        cluster.apply(annotated(node("single-numa-node").replace("gpu: \"8\"", "gpu: \"16\""), CUBE_MESH));
        assertThat(filter(linked(2)))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .isEqualTo(
                                        "the links of this node's free GPUs are unknown: the GPU topology has fewer GPUs than the node has devices; they may be shared or partitioned"));
    }

    @Test
    void refusesAPodWithSharedGpus() {
        cluster.apply(
                annotated(node("single-numa-node"), CUBE_MESH).replace("nvidia.com/gpu", "nvidia.com/gpu.shared"));
        PodFacts pod = ClusterYaml.parsePod(ClusterYaml.pod(
                "x", "nvidia.com/gpu.shared: \"2\"", ", annotations: {numaledger.io/gpu-links: required}", "", ""));
        assertThat(filter(pod))
                .isInstanceOfSatisfying(
                        Refused.class,
                        refused -> assertThat(PodNames.ALL.text(refused.message()))
                                .isEqualTo(
                                        "the links of this node's free GPUs are unknown: the pod requests other resources than nvidia.com/gpu"));
    }

    @Test
    void refusesWhereNoTopologyIsPublished() {
        cluster.apply(node("single-numa-node"));
        assertThat(filter(linked(2)).admits()).isFalse();
        assertThat(filter(linked(1)).admits()).isTrue();
    }

    /** The rank of a second node compared with that of the first; both have the same free amounts. */
    private int comparedRank(PodFacts pod, List<String> first, List<String> second) {
        for (String name : List.of("n", "m")) {
            cluster.apply(annotated(node("single-numa-node"), PAIRS)
                    .replace("name: n}", "name: %s}".formatted(name))
                    .replace("name: n,", "name: %s,".formatted(name)));
            List<String> held = name.equals("n") ? first : second;
            for (int zone = 0; zone < held.size(); zone++) {
                cluster.apply(holder(name + zone, zone, held.get(zone).split(","))
                        .replace("nodeName: n", "nodeName: " + name));
            }
        }
        List<Evaluation> evaluations = cluster.evaluate(List.of("n", "m"), pod);
        return Long.compare(evaluations.get(1).rank(), evaluations.get(0).rank());
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            the second has a linked pair left  | preferred | GPU-0,GPU-2 | GPU-0,GPU-1 | GPU-4,GPU-5 | GPU-4,GPU-5 | 1
            the first has                      | preferred | GPU-0,GPU-1 | GPU-0,GPU-2 | GPU-4,GPU-5 | GPU-4,GPU-5 | -1
            the second keeps a pair            | preferred | GPU-0,GPU-1 | GPU-0,GPU-1 | GPU-4,GPU-6 | GPU-4,GPU-5 | 1
            the second keeps a pair            | required  | GPU-0,GPU-1 | GPU-0,GPU-1 | GPU-4,GPU-6 | GPU-4,GPU-5 | 1
            no links are asked for             | none      | GPU-0,GPU-2 | GPU-0,GPU-1 | GPU-4,GPU-6 | GPU-4,GPU-5 | 0
            """)
    void ranksByLinks(
            String situation, String mode, String first0, String second0, String first1, String second1, int expected) {
        assertThat(comparedRank(
                        pod(2, "numaledger.io/gpu-links: " + mode), List.of(first0, first1), List.of(second0, second1)))
                .isEqualTo(expected);
    }

    @Test
    void comparesTheLeastNumberOfLinks() {
        apply("single-numa-node", CUBE_MESH);
        String preferred = "numaledger.io/gpu-links: preferred, numaledger.io/gpu-links-min: '%d'";
        assertThat(filter(pod(3, preferred.formatted(4))).admits()).isTrue();
        assertThat(filter(pod(3, preferred.formatted(5))).admits()).isFalse();
    }

    private static String observed(String links, String... ids) {
        return holder("x", 0, ids).replace("annotations: {", "annotations: {" + links + ", ");
    }

    private Optional<ObservedLinks> observedLinks() {
        return ObservedLinks.of(cluster.state.pods().get("default/x").orElseThrow(), cluster.snapshot("n"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            linked and nothing better  | required | GPU-0,GPU-1 | GPU-4,GPU-6 | BEST
            another pair was free      | preferred| GPU-1,GPU-2 | GPU-4,GPU-6 | WORSE
            the pairs were held        | preferred| GPU-1,GPU-2 | GPU-0,GPU-3 | BEST
            the demand is not met      | required | GPU-1,GPU-2 | GPU-0,GPU-3 | MISSING
            other GPUs were not named  | required | GPU-0,GPU-1 |             |
            the same without a link    | required | GPU-1,GPU-2 |             | MISSING
            links are not asked for    | none     | GPU-1,GPU-2 | GPU-4,GPU-6 |
            """)
    void comparesTheObservedGpus(
            String situation, String mode, String own, @Nullable String others, ObservedLinks.@Nullable Result result) {
        apply(
                "single-numa-node",
                PAIRS,
                observed("numaledger.io/gpu-links: " + mode, own.split(",")),
                others == null ? holder("a", 0) : holder("a", others.equals("GPU-4,GPU-6") ? 1 : 0, others.split(",")));
        assertThat(observedLinks().map(ObservedLinks::result)).isEqualTo(Optional.ofNullable(result));
    }

    @Test
    void comparesWithTheMostLinksOfTheNumaNode() {
        apply("single-numa-node", CUBE_MESH, observed("numaledger.io/gpu-links: preferred", "GPU-0", "GPU-1"));
        assertThat(observedLinks()).contains(new ObservedLinks(ObservedLinks.Result.WORSE, 1, OptionalLong.of(2)));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "'numaledger.io/gpu-links: always', 'invalid annotation: numaledger.io/gpu-links=''always''; use required, preferred or none, or remove it'",
        "'numaledger.io/gpu-links: required, numaledger.io/gpu-links-min: many', 'invalid annotation: numaledger.io/gpu-links-min=''many''; use a whole number of 0 or more, or remove it'"
    })
    void rejectsAnythingElse(String annotations, String message) {
        assertThatThrownBy(() -> GpuLinks.of(pod(2, annotations))).hasMessage(message);
    }
}
