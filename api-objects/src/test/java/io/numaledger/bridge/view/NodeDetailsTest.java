package io.numaledger.bridge.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.holder.PodNames;
import org.junit.jupiter.api.Test;

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
                .isEqualTo("[{\"resource\":\"nvidia.com/gpu\",\"device\":\"GPU-1\"}]");
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

    @Test
    void namesZonesThatMemoryTiesTogether() {
        cluster.apply(
                NODE.replace("memoryManagerPolicy, value: None", "memoryManagerPolicy, value: Static")
                        .replace("value: single-numa-node", "value: restricted")
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
        assertThat(node.at("/zones/1/largestRequest").toString()).isEqualTo("{\"memory\":\"0\"}");
        assertThat(node.at("/pods/0/memory").toString())
                .isEqualTo("[{\"type\":\"memory\",\"bytes\":\"10737418240\",\"zones\":[\"node-0\",\"node-1\"]}]");
    }
}
