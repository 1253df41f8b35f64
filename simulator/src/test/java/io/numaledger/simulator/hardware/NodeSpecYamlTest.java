package io.numaledger.simulator.hardware;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NodeSpecYamlTest {

    private static final long GIB = 1L << 30;

    @Test
    void readsEveryField() {
        NodeSpec node = NodeSpecYaml.parse("""
                        nodes:
                        - name: gpu-1
                          kubelet:
                            topologyManagerPolicy: restricted
                            topologyManagerScope: pod
                            topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true"}
                            cpuManagerPolicy: none
                            cpuManagerPolicyOptions: {full-pcpus-only: "true"}
                            memoryManagerPolicy: None
                            reservedSystemCPUs: "0,4"
                            reservedMemory: [{numaNode: 4, limits: {memory: 1Gi, hugepages-2Mi: 4Mi}}]
                            featureGates: {CPUManagerPolicyAlphaOptions: true}
                          kubeletVersion: "1.33"
                          numaNodes:
                          - {id: 4, socket: 1, cores: 2, threadsPerCore: 2, memory: 16Gi, hugepages: {2Mi: 512}}
                          - {id: 9, socket: 1, cores: 0, memory: 4Gi}
                          distances: [[10, 17], [28, 10]]
                          devices:
                          - {resource: nvidia.com/gpu, count: 2, numaNodes: [4], preferredAllocation: true}
                          - {resource: nvidia.com/gpu, count: 1, numaNodes: [4, 9]}
                          - {resource: example.com/nic, ids: [eth0, eth1], numaNodes: []}
                        """).get(0);

        assertThat(node.kubelet().topologyManagerPolicy()).isEqualTo(TopologyPolicyName.RESTRICTED);
        assertThat(node.kubelet().topologyManagerScope()).isEqualTo(TopologyScope.POD);
        assertThat(node.kubelet().topologyManagerPolicyOptions()).containsEntry("prefer-closest-numa-nodes", "true");
        assertThat(node.kubelet().staticCpus()).isFalse();
        assertThat(node.kubelet().cpuManagerPolicyOptions()).containsEntry("full-pcpus-only", "true");
        assertThat(node.kubelet().staticMemory()).isFalse();
        assertThat(node.kubelet().reservedSystemCpus()).hasToString("0,4");
        assertThat(node.kubelet().reservedMemory()).singleElement().satisfies(reserved -> {
            assertThat(reserved.numaNode()).isEqualTo(4);
            assertThat(reserved.limits()).containsEntry("memory", GIB).containsEntry("hugepages-2Mi", 4L << 20);
        });
        assertThat(node.kubelet().featureGates()).containsEntry("CPUManagerPolicyAlphaOptions", true);
        assertThat(node.kubeletVersion()).contains("1.33");
        assertThat(node.numaNodes().get(0).memoryBytes()).isEqualTo(16 * GIB);
        assertThat(node.numaNodes().get(0).hugepages()).containsEntry(2L << 20, 512L);
        assertThat(node.distances().get(9)).containsEntry(4, 28).containsEntry(9, 10);
        assertThat(node.devices())
                .hasToString(
                        "[DevicePluginSpec[resource=example.com/nic, devices=["
                                + "DeviceAllocation[resource=example.com/nic, deviceId=eth0, numaNodes=[]], "
                                + "DeviceAllocation[resource=example.com/nic, deviceId=eth1, numaNodes=[]]], preferredAllocation=false], "
                                + "DevicePluginSpec[resource=nvidia.com/gpu, devices=["
                                + "DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-0, numaNodes=[4]], "
                                + "DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-1, numaNodes=[4]], "
                                + "DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-2, numaNodes=[4, 9]]], preferredAllocation=true]]");
    }

    @Test
    void needsOnlyNameAndNumaNodes() {
        NodeSpec node = NodeSpecYaml.parse("""
                        nodes:
                        - name: plain
                          numaNodes:
                          - {id: 0, socket: 0, cores: 2, memory: 4Gi}
                          - {id: 1, socket: 0, cores: 2, memory: 4Gi}
                          - {id: 2, cores: 2, memory: 4Gi}
                        """).get(0);

        assertThat(node.kubelet().topologyManagerPolicy()).isEqualTo(TopologyPolicyName.SINGLE_NUMA_NODE);
        assertThat(node.kubelet().staticCpus()).isTrue();
        assertThat(node.kubelet().staticMemory()).isTrue();
        assertThat(node.kubelet().reservedMemory())
                .hasToString("[ReservedMemory[numaNode=0, limits={memory=1073741824}]]");
        assertThat(node.kubeletVersion()).isEmpty();
        assertThat(node.orKubeletVersion("1.37").kubeletVersion()).contains("1.37");
        assertThat(node.distances()).hasToString("{0={0=10, 1=12, 2=21}, 1={0=12, 1=10, 2=21}, 2={0=21, 1=21, 2=10}}");
        assertThat(node.devices()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            no nodes at all       | {}                                               | nodes: missing
            no name               | nodes: [{numaNodes: [{id: 0, cores: 1, memory: 1Gi}]}] | nodes[0].name: missing
            no NUMA nodes         | nodes: [{name: a}]                               | nodes[0].numaNodes: missing
            no NUMA node in it    | nodes: [{name: a, numaNodes: []}]                | nodes[0]: not a node: numaNodes=[]; expected one NUMA node or more
            no cores              | nodes: [{name: a, numaNodes: [{id: 0, memory: 1Gi}]}] | nodes[0].numaNodes[0].cores: missing
            memory that is none   | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: lots}]}] | nodes[0].numaNodes[0].memory: 'lots' is no amount of bytes, such as 16Gi
            a word for a number   | nodes: [{name: a, numaNodes: [{id: zero, cores: 1, memory: 1Gi}]}] | nodes[0].numaNodes[0].id: Cannot deserialize value of type `java.lang.Integer` from String "zero": not a valid `java.lang.Integer` value
            an unknown field      | nodes: [{name: a, numa: []}]                     | nodes[0].numa: Unrecognized field "numa"
            an unknown policy     | nodes: [{name: a, kubelet: {topologyManagerPolicy: strict}, numaNodes: [{id: 0, cores: 1, memory: 1Gi}]}] | nodes[0].kubelet: unknown value: topologyManagerPolicy=
            the same NUMA id twice | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}, {id: 0, cores: 1, memory: 1Gi}]}] | nodes[0]: not a node: numaNodes=[0, 0]; expected each id once
            a row too short       | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], distances: [[]]}] | nodes[0].distances: expected 1 rows of 1 numbers
            too many hugepages    | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi, hugepages: {2Mi: 513}}]}] | nodes[0].numaNodes[0]: not a NUMA node: hugepages=1075838976; expected at most the memory of the NUMA node, 1073741824
            a device without count | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], devices: [{resource: x/y, numaNodes: [0]}]}] | nodes[0].devices[0].count: missing
            """)
    void namesTheFieldThatIsWrong(String situation, String yaml, String fieldAndWhy) {
        assertThatThrownBy(() -> NodeSpecYaml.parse(yaml))
                .isInstanceOf(NodeSpecException.class)
                .hasMessageStartingWith("cannot read the nodes: field=" + fieldAndWhy)
                .hasMessageEndingWith("; see the node YAML in docs/reference/node-yaml.md");
    }

    @Test
    void refusesTwoNodesOfOneName() {
        String node = "{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}]}";

        assertThatThrownBy(() -> NodeSpecYaml.parse("nodes: [%s, %s]".formatted(node, node)))
                .hasMessageStartingWith("cannot read the nodes: field=nodes[1].name: name=a stands twice");
    }
}
