package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A node by itself: two zones, of which the first has CPUs 0-4 with two on a core, and CPU 0 reserved. */
class NodeDetailsTest {

    private static final String NODE = ClusterYaml.node("n")
            .replace("value: \"0:0;1:1;2:2;3:3;4:4\"", "value: \"0:0;1:1,3;2:2,4\"")
            .replace("metadata: {name: n}\nstatus:", """
                    metadata:
                      name: n
                      annotations:
                        numaledger.io/gpu-topology: '{"v":1,"kind":"direct","gpus":[{"uuid":"GPU-1","bus":"0000:3b:00.0","numa":0},{"numa":1}],"links":2,"pcie":"S"}'
                    spec: {taints: [{key: gpu, value: "yes", effect: NoSchedule}]}
                    status:""");

    private static final String OBSERVED = """
            {"containers":[{"name":"c","cpus":"1,3","devices":[{"resource":"nvidia.com/gpu","numaNodes":"0","ids":["GPU-1"]}]}]}""";

    private final TestCluster cluster = new TestCluster();

    private JsonNode node(PodNames names) {
        return NodeJson.detailed(cluster.snapshot("n"), cluster.state, names);
    }

    private void run(String pod) {
        cluster.apply(NODE, pod);
    }

    private static String observed() {
        return ClusterYaml.pod(
                "a",
                "cpu: \"2\", memory: 1Gi, nvidia.com/gpu: \"1\"",
                ", annotations: {numaledger.io/placement: '%s'}".formatted(OBSERVED),
                "  nodeName: n",
                ", phase: Running");
    }

    @Test
    void hasCoresWithTheirCpusAndReservedOnes() {
        cluster.apply(NODE);

        JsonNode zone = node(PodNames.ALL).at("/zones/0");
        assertThat(zone.path("cpus").asText()).isEqualTo("0-4");
        assertThat(zone.path("reservedCpus").asText()).isEqualTo("0");
        assertThat(zone.path("cores").toString()).isEqualTo("[\"0\",\"1,3\",\"2,4\"]");
    }

    @Test
    void hasGpusWithTheirLinksAndTaints() {
        cluster.apply(NODE);

        JsonNode node = node(PodNames.ALL);
        assertThat(node.path("gpus").toString())
                .isEqualTo(
                        "{\"kind\":\"direct\",\"devices\":[{\"uuid\":\"GPU-1\",\"bus\":\"0000:3b:00.0\",\"zone\":\"node-0\"},{\"zone\":\"node-1\"}],\"links\":[[0,2],[2,0]]}");
        assertThat(node.path("taints").toString()).isEqualTo("[\"gpu=yes:NoSchedule\"]");
    }

    @Test
    void saysWhichCpusAndDevicesAPodHolds() {
        run(observed());

        JsonNode pod = node(PodNames.ALL).at("/pods/0");
        assertThat(pod.path("cpus").asText()).isEqualTo("1,3");
        assertThat(pod.path("devices").toString())
                .isEqualTo("[{\"resource\":\"nvidia.com/gpu\",\"device\":\"GPU-1\",\"zones\":[\"node-0\"]}]");
    }

    @Test
    void addsUpTheCpusOfPodsThatMayNotBeNamed() {
        run(observed());

        JsonNode node = node(PodNames.of("other"));
        assertThat(node.at("/otherPods/cpus").asText()).isEqualTo("1,3");
        assertThat(node.path("pods")).isEmpty();
    }

    @Test
    void leavesOutCpusThatAreNotPublished() {
        cluster.apply(NODE.replaceAll("  - \\{name: (cpus|cores|sockets|reservedSystemCPUs), .*\n", "")
                .replace("  attributes:\n  resources", "  resources"));

        JsonNode node = node(PodNames.ALL);
        assertThat(node.at("/zones/0/allocatable/cpu").asText()).isEqualTo("4");
        assertThat(node.at("/zones/0").has("cpus")).isFalse();
        assertThat(node.at("/zones/0").has("cores")).isFalse();
    }

    /** Where the kubelet also takes hints that are not preferred, a container gets what is left in the group. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            restricted  | {"memory":"0"}
            best-effort |
            """)
    void namesZonesThatMemoryTiesTogether(String policy, @Nullable String largest) {
        cluster.apply(
                NODE.replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static")
                        .replace("value: single-numa-node", "value: " + policy)
                        .replace(
                                "- {name: cpu,",
                                "- {name: memory, capacity: 8Gi, allocatable: 7Gi, available: 7Gi}\n  - {name: cpu,"),
                ClusterYaml.pod(
                        "a",
                        "cpu: \"1\", memory: 10Gi",
                        ", annotations: {numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"1\",\"memory\":[{\"type\":\"memory\",\"bytes\":10737418240,\"numaNodes\":\"0-1\"}]}]}'}",
                        "  nodeName: n",
                        ", phase: Running"));

        JsonNode node = node(PodNames.ALL);
        assertThat(node.path("memoryGroups").toString()).isEqualTo("[[\"node-0\",\"node-1\"]]");
        assertThat(node.path("zones").path(1).path("largestRequest").toString())
                .isEqualTo(largest == null ? "" : largest);
        assertThat(node.at("/pods/0/memory").toString())
                .isEqualTo("[{\"type\":\"memory\",\"bytes\":\"10737418240\",\"zones\":[\"node-0\",\"node-1\"]}]");
    }

    /** Two NICs of both zones, an FPGA of none, and one on a NUMA node that the machine lacks. */
    @Test
    void countsDevicesOnceAlsoThoseOfSeveralZonesAndOfNone() {
        cluster.apply(
                NODE.replace(
                                "capacity: {nvidia.com/gpu: \"2\"}",
                                "capacity: {nvidia.com/gpu: \"2\", example.com/nic: \"2\", example.com/fpga: \"2\"}")
                        .replace(
                                "allocatable: {nvidia.com/gpu: \"2\"}",
                                "allocatable: {nvidia.com/gpu: \"2\", example.com/nic: \"2\", example.com/fpga: \"2\"}")
                        .replace(
                                "\nzones:\n",
                                "\n- {name: devicesBeyondOneZone, value: \"example.com/nic@0-1=2/2;example.com/fpga@=1/1;example.com/fpga@!=1/1\"}\nzones:\n")
                        .replace(
                                "- {name: cpu,",
                                "- {name: example.com/nic, capacity: \"2\", allocatable: \"2\", available: \"2\"}\n  - {name: cpu,"),
                ClusterYaml.pod(
                        "a",
                        "cpu: \"2\", memory: 1Gi, example.com/nic: \"1\"",
                        ", deletionTimestamp: \"2026-01-01T00:00:00Z\", annotations: {numaledger.io/placement: '{\"containers\":[{\"name\":\"c\",\"cpus\":\"1,3\",\"devices\":[{\"resource\":\"example.com/nic\",\"numaNodes\":\"0-1\",\"ids\":[\"mlx5_0\"]}]}]}'}",
                        "  nodeName: n",
                        ", phase: Running"));

        JsonNode node = node(PodNames.ALL);
        assertThat(node.path("devices"))
                .extracting(JsonNode::toString)
                .containsExactlyInAnyOrder(
                        "{\"resource\":\"example.com/fpga\",\"zones\":[],\"free\":1,\"freeAfterReleases\":1,\"held\":0,\"heldAfterReleases\":0}",
                        "{\"resource\":\"example.com/fpga\",\"zones\":[],\"onMissingNumaNodes\":true,\"free\":1,\"freeAfterReleases\":1,\"held\":0,\"heldAfterReleases\":0}",
                        "{\"resource\":\"example.com/nic\",\"zones\":[\"node-0\",\"node-1\"],\"free\":1,\"freeAfterReleases\":2,\"held\":1,\"heldAfterReleases\":0}",
                        "{\"resource\":\"nvidia.com/gpu\",\"zones\":[\"node-0\"],\"free\":1,\"freeAfterReleases\":1,\"held\":0,\"heldAfterReleases\":0}",
                        "{\"resource\":\"nvidia.com/gpu\",\"zones\":[\"node-1\"],\"free\":1,\"freeAfterReleases\":1,\"held\":0,\"heldAfterReleases\":0}");
        assertThat(node.at("/pods/0/devices").toString())
                .isEqualTo(
                        "[{\"resource\":\"example.com/nic\",\"device\":\"mlx5_0\",\"zones\":[\"node-0\",\"node-1\"]}]");
    }
}
