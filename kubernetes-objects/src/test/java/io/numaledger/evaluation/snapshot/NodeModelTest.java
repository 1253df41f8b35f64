package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.device.Device;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.topology.AffinityMask;
import org.junit.jupiter.api.Test;

import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

class NodeModelTest {

    /** As exporters publish it that know no reservations: all of the memory is allocatable. */
    private static String foreign(String zone, String resources) {
        return """
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: n}
                status: {nodeInfo: {kubeletVersion: v1.36.3}}
                ---
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: n}
                topologyPolicies: [SingleNUMANodeContainerLevel]
                zones:
                - name: %s
                  type: Node
                  resources:
                  - {name: cpu, capacity: "8", allocatable: "7", available: "7"}
                %s
                """.formatted(zone, resources.indent(2));
    }

    private static NodeModel model(String yaml) {
        ClusterObjects objects = ClusterYaml.read(yaml);
        return NodeModel.of(
                objects.nodes().get("n"),
                Optional.ofNullable(objects.topologies().get("n")),
                SnapshotSettings.DEFAULT);
    }

    @Test
    void leavesOutHugepagesThatContradictTheMemory() {
        NodeModel model = model(foreign("node-0", """
                - {name: memory, capacity: 8Gi, allocatable: 8Gi, available: 8Gi}
                - {name: hugepages-2Mi, capacity: 1Gi, allocatable: 1Gi, available: 1Gi}
                """));

        assertThat(model.kubelet()).isPresent();
        assertThat(model.leftOut()).containsExactly("hugepages-2Mi");
        assertThat(model.kubelet().get().cpus()).as("CPUs stay").isPresent();
        assertThat(model.kubelet().get().empty().memory()).as("memory stays").isPresent();
    }

    @Test
    void leavesNothingOutOfAConsistentTopology() {
        NodeModel model =
                model(foreign("node-0", "- {name: memory, capacity: 8Gi, allocatable: 7Gi, available: 7Gi}\n"));

        assertThat(model.kubelet()).isPresent();
        assertThat(model.leftOut()).isEmpty();
    }

    @Test
    void namesTheZoneThatHasNoNumaNode() {
        NodeModel model = model(foreign("socket-a", ""));

        assertThat(model.unmodelled())
                .contains(
                        new Unmodelled(
                                Unmodelled.Kind.INCONSISTENT,
                                "the published zones are not named node-0, node-1, and so on: zone=socket-a; check the exporter"));
    }

    @Test
    void namesANumaNodeThatIsTooLarge() {
        NodeModel model = model(foreign("node-64", ""));

        assertThat(model.unmodelled()).map(Unmodelled::kind).contains(Unmodelled.Kind.UNSUPPORTED);
        assertThat(model.unmodelled().orElseThrow().message()).contains("numaNode=64");
    }

    @Test
    void readsADeviceThatItsPluginReportsForANumaNodeWithAHighId() {
        NodeModel model = model(
                foreign("node-0", "- {name: example.com/nic, capacity: \"1\", allocatable: \"1\", available: \"1\"}\n")
                        .replace(
                                "zones:",
                                "attributes: [{name: devicesBeyondOneZone, value: \"example.com/nic@0,250=1/1\"}]\nzones:"));

        assertThat(model.kubelet().orElseThrow().machine().devices().get("example.com/nic"))
                .extracting(Device::numaNodes)
                .containsExactly(AffinityMask.of(0, 63));
    }

    @Test
    void leavesOutOneResourceThatCannotBeRead() {
        NodeModel model = model(foreign("node-0", """
                - {name: memory, capacity: 8Gi, allocatable: 7Gi, available: 7Gi}
                - {name: example.com/bad, capacity: lots, allocatable: "1", available: "1"}
                - {name: example.com/many, capacity: "9000000000", allocatable: "9000000000", available: "1"}
                - {name: example.com/gpu, capacity: "2", allocatable: "2", available: "2"}
                """));

        assertThat(model.kubelet()).isPresent();
        assertThat(model.leftOut()).contains("example.com/bad", "example.com/many");
        assertThat(model.leftOut()).doesNotContain("memory");
    }

    @Test
    void namesCpusThatCannotBeRead() {
        NodeModel model = model(foreign("node-0", "- {name: example.com/gpu, capacity: \"2\"}\n")
                .replace("{name: cpu, capacity: \"8\"", "{name: cpu, capacity: eight"));

        assertThat(model.kubelet()).isEmpty();
        assertThat(model.unmodelled().orElseThrow().message()).contains("zone=node-0 resource=cpu");
    }

    @Test
    void refusesMoreCpusThanAnyMachineHasBeforeItCountsThem() {
        String own = ClusterYaml.node("n");

        assertThat(model(own.replace("{name: cpus, value: 0-4}", "{name: cpus, value: 0-8192}"))
                        .unmodelled()
                        .orElseThrow()
                        .message())
                .contains("an impossible number of CPUs: zone=node-0 count=8193");
        assertThat(model(own.replace("0:0;1:1;2:2;3:3;4:4", "0:0-60000;1:1;2:2;3:3;4:4"))
                        .kubelet())
                .isPresent();
    }
}
