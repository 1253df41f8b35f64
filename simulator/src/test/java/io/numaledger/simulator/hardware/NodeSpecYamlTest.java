package io.numaledger.simulator.hardware;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.Map;

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
                          - {resource: example.com/nic, ids: [eth0, eth1], numaNodes: [], maxPerContainer: 1}
                        """).get(0);

        assertThat(node.kubelet().topologyManager().policy()).isEqualTo(TopologyPolicyName.RESTRICTED);
        assertThat(node.kubelet().topologyManager().scope()).isEqualTo(TopologyScope.POD);
        assertThat(node.kubelet().topologyManager().options()).containsEntry("prefer-closest-numa-nodes", "true");
        assertThat(node.kubelet().staticCpus()).isFalse();
        assertThat(node.kubelet().cpuManager().options()).containsEntry("full-pcpus-only", "true");
        assertThat(node.kubelet().staticMemory()).isFalse();
        assertThat(node.kubelet().reservedSystemCpus()).hasToString("0,4");
        assertThat(node.kubelet().memoryManager().reservedMemory())
                .isEqualTo(Map.of(4, Map.of("memory", GIB, "hugepages-2Mi", 4L << 20)));
        assertThat(node.kubelet().featureGates()).containsEntry("CPUManagerPolicyAlphaOptions", true);
        assertThat(node.kubeletVersion()).contains("1.33");
        assertThat(node.numaNodes().get(0).memoryBytes()).isEqualTo(16 * GIB);
        assertThat(node.numaNodes().get(0).hugepages()).containsEntry(2L << 20, 512L);
        assertThat(node.distances().get(9)).containsEntry(4, 28).containsEntry(9, 10);
        assertThat(node.devices())
                .hasToString(
                        "[DevicePluginSpec[resource=example.com/nic, devices=["
                                + "DeviceAllocation[resource=example.com/nic, deviceId=eth0, numaNodes=[]], "
                                + "DeviceAllocation[resource=example.com/nic, deviceId=eth1, numaNodes=[]]], preferredAllocation=false, maxPerContainer=OptionalInt[1]], "
                                + "DevicePluginSpec[resource=nvidia.com/gpu, devices=["
                                + "DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-0, numaNodes=[4]], "
                                + "DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-1, numaNodes=[4]], "
                                + "DeviceAllocation[resource=nvidia.com/gpu, deviceId=gpu-2, numaNodes=[4, 9]]], preferredAllocation=true, maxPerContainer=OptionalInt.empty]]");
    }

    @Test
    void readsDraDrivers() {
        NodeSpec node = NodeSpecYaml.parse("""
                        nodes:
                        - name: gpu-1
                          numaNodes: [{id: 0, cores: 2, memory: 4Gi}]
                          draDrivers:
                          - driver: gpu.example.com
                            devices:
                            - {count: 1, attributes: {resource.kubernetes.io/numaNode: {ints: [0]}}, capacity: {memory: {value: 80Gi}}}
                            - {count: 1, attributes: {resource.kubernetes.io/pciBusID: {string: "0000:3b:00.0"}}, pciNumaNode: 0}
                          - driver: vf.example.com
                            deviceClass: vf
                            extendedResourceName: example.com/vf
                            pool: rack-1
                            devices: [{names: [a], allowMultipleAllocations: true}]
                            startDelaySeconds: 30
                            prepareError: no such firmware
                        """).get(0);

        assertThat(node.draDrivers())
                .hasToString("[DraDriverSpec[driver=gpu.example.com, deviceClass=gpu.example.com, "
                        + "extendedResourceName=Optional.empty, pool=gpu-1, devices=["
                        + "DraDevice[name=gpu-0, attributes={resource.kubernetes.io/numaNode={ints=[0]}}, "
                        + "capacity={memory={value=80Gi}}, allowMultipleAllocations=false, pciNumaNode=OptionalInt.empty], "
                        + "DraDevice[name=gpu-1, attributes={resource.kubernetes.io/pciBusID={string=0000:3b:00.0}}, "
                        + "capacity={}, allowMultipleAllocations=false, pciNumaNode=OptionalInt[0]]], "
                        + "startDelay=PT0S, prepareError=Optional.empty], "
                        + "DraDriverSpec[driver=vf.example.com, deviceClass=vf, "
                        + "extendedResourceName=Optional[example.com/vf], pool=rack-1, devices=["
                        + "DraDevice[name=a, attributes={}, capacity={}, allowMultipleAllocations=true, pciNumaNode=OptionalInt.empty]], "
                        + "startDelay=PT30S, prepareError=Optional[no such firmware]]]");
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

        assertThat(node.kubelet().topologyManager().policy()).isEqualTo(TopologyPolicyName.SINGLE_NUMA_NODE);
        assertThat(node.kubelet().staticCpus()).isTrue();
        assertThat(node.kubelet().staticMemory()).isTrue();
        assertThat(node.kubelet().memoryManager().reservedMemory()).hasToString("{0={memory=1073741824}}");
        assertThat(node.kubeletVersion()).isEmpty();
        assertThat(node.orKubeletVersion("1.37").kubeletVersion()).contains("1.37");
        assertThat(node.distances()).hasToString("{0={0=10, 1=12, 2=21}, 1={0=12, 1=10, 2=21}, 2={0=21, 1=21, 2=10}}");
        assertThat(node.devices()).isEmpty();
    }

    /** Records are made when their mapping has ended: the parser is at its end then. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            name                             | 1 | name: a/nodes: []/other: 1
            nodes[0].topologyManagerPolicy   | 3 | nodes:/- name: a/  topologyManagerPolicy: none/  numaNodes:/  - {id: 0, cores: 1, memory: 1Gi}
            nodes[1].numaNodes[1].core       | 6 | nodes:/- {name: a, numaNodes: [{id: 0}]}/- name: b/  numaNodes:/  - {id: 0, cores: 1}/  - {id: 1, core: 1}/  distances: []
            nodes[0].numaNodes[0].id         | 4 | nodes:/- name: a/  numaNodes:/  - id: zero/    cores: 1
            """)
    void namesTheLineOfTheField(String field, int line, String yaml) {
        assertThatThrownBy(() -> NodeSpecYaml.parse(yaml.replace('/', '\n')))
                .hasMessageContaining("field=%s: line %d: ".formatted(field, line));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            no nodes at all       | {}                                               | nodes: missing
            no name               | nodes: [{numaNodes: [{id: 0, cores: 1, memory: 1Gi}]}] | nodes[0].name: missing
            no NUMA nodes         | nodes: [{name: a}]                               | nodes[0].numaNodes: missing
            no NUMA node in it    | nodes: [{name: a, numaNodes: []}]                | nodes[0]: not a node: numaNodes=[]; expected one NUMA node or more
            no cores              | nodes: [{name: a, numaNodes: [{id: 0, memory: 1Gi}]}] | nodes[0].numaNodes[0].cores: missing
            memory that is none   | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: lots}]}] | nodes[0].numaNodes[0].memory: 'lots' is no amount of bytes, such as 16Gi
            a word for a number   | nodes: [{name: a, numaNodes: [{id: zero, cores: 1, memory: 1Gi}]}] | nodes[0].numaNodes[0].id: line 1: 'zero' is not a whole number
            an unknown field      | nodes: [{name: a, numa: []}]                     | nodes[0].numa: line 1: no such field; did you mean numaNodes?
            a field misspelt      | nodes: [{name: a, numaNodes: [{id: 0, core: 8}]}] | nodes[0].numaNodes[0].core: line 1: no such field; did you mean coreCpus or cores?
            a field of no meaning | nodes: [{name: a, numaNodes: [], weight: 8}]     | nodes[0].weight: line 1: no such field; expected one of
            a word for a list     | nodes: [{name: a, numaNodes: all}]               | nodes[0].numaNodes: line 1: expected a list
            a list for a mapping  | nodes: [{name: a, kubelet: []}]                  | nodes[0].kubelet: line 1: expected a mapping with the fields topologyManagerPolicy,
            no YAML               | nodes: [{name: a                                 | nodes[0]: line 1: while parsing a flow mapping, expected ',' or '}'
            nothing               | ~                                                | nodes: missing
            an unknown policy     | nodes: [{name: a, kubelet: {topologyManagerPolicy: strict}, numaNodes: [{id: 0, cores: 1, memory: 1Gi}]}] | nodes[0].kubelet: unknown value: topologyManagerPolicy=
            the same NUMA id twice | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}, {id: 0, cores: 1, memory: 1Gi}]}] | nodes[0]: not a node: numaNodes=[0, 0]; expected each id once
            a row too short       | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], distances: [[]]}] | nodes[0].distances: expected 1 rows of 1 numbers
            too many hugepages    | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi, hugepages: {2Mi: 513}}]}] | nodes[0].numaNodes[0]: not a NUMA node: hugepages=1075838976; expected at most the memory of the NUMA node, 1073741824
            as many cores as fit  | nodes: [{name: a, numaNodes: [{id: 0, cores: 1000000000, memory: 1Gi}]}] | nodes[0].numaNodes[0]: not a NUMA node: cores=1000000000; expected 0 to 8192
            as many threads       | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, threadsPerCore: 2147483647, memory: 1Gi}]}] | nodes[0].numaNodes[0]: not a NUMA node: threadsPerCore=2147483647; expected 1 to 8192
            cores that overflow   | nodes: [{name: a, numaNodes: [{id: 0, cores: 8192, threadsPerCore: 8192, memory: 1Gi}]}] | nodes[0]: not a node: cpus=67108864; expected at most 8192 in all NUMA nodes
            as many CPUs together | nodes: [{name: a, numaNodes: [{id: 0, cores: 5000, memory: 1Gi}, {id: 1, cores: 5000, memory: 1Gi}]}] | nodes[0]: not a node: cpus=10000; expected at most 8192 in all NUMA nodes
            a high CPU id         | nodes: [{name: a, numaNodes: [{id: 0, coreCpus: ["1000000000"], memory: 1Gi}]}] | nodes[0].numaNodes[0]: not a CPU list: part='1000000000'
            as many devices       | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], devices: [{resource: x/y, count: 1000000000, numaNodes: [0]}]}] | nodes[0].devices: 1000000000 of them; expected at most 65536
            as many together      | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], devices: [{resource: x/y, count: 50000, numaNodes: [0]}, {resource: x/z, count: 50000, numaNodes: [0]}]}] | nodes[0].devices: 100000 of them; expected at most 65536
            fewer than no devices | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], devices: [{resource: x/y, count: -1, numaNodes: [0]}]}] | nodes[0].devices[0].count: -1; expected 0 or more
            more memory than fits | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1e900}]}] | nodes[0].numaNodes[0].memory: '1e900' is no amount of bytes, such as 16Gi
            pages that overflow   | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi, hugepages: {1Gi: 9000000000000000000}}]}] | nodes[0].numaNodes[0]: long overflow
            a driver without name | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], draDrivers: [{devices: []}]}] | nodes[0].draDrivers[0].driver: missing
            a driver misnamed     | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], draDrivers: [{driver: example.com/gpu, devices: []}]}] | nodes[0].draDrivers[0]: not a DRA driver: driver=example.com/gpu; expected a lower-case DNS name
            a device twice        | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], draDrivers: [{driver: x.y, devices: [{names: [b, b]}]}]}] | nodes[0].draDrivers[0]: not a DRA driver: devices=b; expected each name once
            as many claimable     | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], draDrivers: [{driver: x.y, devices: [{count: 1000000000}]}]}] | nodes[0].draDrivers[0].devices: 1000000000 of them; expected at most 65536
            a device without count | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], devices: [{resource: x/y, numaNodes: [0]}]}] | nodes[0].devices[0].count: missing
            """)
    void namesTheFieldThatIsWrong(String situation, String yaml, String fieldAndWhy) {
        assertThatThrownBy(() -> NodeSpecYaml.parse(yaml))
                .isInstanceOf(NodeSpecException.class)
                .hasMessageStartingWith("cannot read the nodes: field=" + fieldAndWhy)
                .hasMessageEndingWith("; see the node YAML in docs/reference/node-yaml.md")
                .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                .doesNotContain("java.", "fasterxml", "numaledger.simulator", "Yaml");
    }

    @Test
    void saysThatAFileDoesNotExist() {
        assertThatThrownBy(() -> NodeSpecYaml.read(Path.of("/nowhere/nodes.yaml")))
                .hasMessage("cannot read the nodes: file=/nowhere/nodes.yaml does not exist; check the path");
    }

    /** Texts of 3 MB at most, which name more than fits into memory. */
    @Test
    void boundsWhatAllNodesHaveTogether() {
        String numaNode = "{id: 0, cores: 0, memory: 0}";
        String many = "{resource: x/y, count: 60000, numaNodes: [0]}";
        String node = "- {name: n%d, numaNodes: [{id: 0, cores: 1, memory: 1Gi}], devices: [%s]}\n";
        StringBuilder nodes = new StringBuilder("nodes:\n");
        for (int i = 0; i < 1_000; i++) {
            nodes.append(node.formatted(i, many));
        }
        assertThatThrownBy(() -> NodeSpecYaml.parse(nodes.toString()))
                .hasMessageStartingWith(
                        "cannot read the nodes: field=nodes[].devices: 1080000 of them; expected at most 1048576");

        String numaNodes = (numaNode + ", ").repeat(50_000);
        assertThatThrownBy(() -> NodeSpecYaml.parse("nodes: [{name: a, numaNodes: [%s]}]".formatted(numaNodes)))
                .hasMessageStartingWith(
                        "cannot read the nodes: field=nodes[0].numaNodes: 50000 of them; expected at most 1024");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            deep lists            | nodes: [[                                             | nodes[0]: line 1: expected a mapping with the fields
            deep mappings         | nodes: {a: {a:                                        | nodes: line 1: expected a list
            a long number         | nodes: [{name: a, numaNodes: [{id: 0, cores: 99}]}]   | nodes[0].numaNodes[0].cores: Number value length (100000) exceeds
            a long amount         | nodes: [{name: a, numaNodes: [{id: 0, cores: 1, memory: 99}]}] | nodes[0].numaNodes[0].memory: '999
            aliases of aliases    | nodes: [{name: &a [x, x], kubeletVersion: [*a, *a]}]  | nodes[0].name: line 1: expected a text
            many words            | nodes: [WORDS]                                        | nodes[0]: line 1: expected a mapping with the fields
            """)
    void boundsWhatTheTextCosts(String situation, String text, String why) {
        String hostile = text.replace("[[", "[".repeat(100_000))
                .replace("{a: {a:", "{a: ".repeat(100_000))
                .replace("99", "9".repeat(100_000))
                .replace("WORDS", "word ".repeat(500_000));
        assertThatThrownBy(() -> NodeSpecYaml.parse(hostile))
                .isInstanceOf(NodeSpecException.class)
                .hasMessageStartingWith("cannot read the nodes: field=" + why)
                .extracting(Throwable::getMessage, InstanceOfAssertFactories.STRING)
                .hasSizeLessThan(500);
    }

    @Test
    void refusesTwoNodesOfOneName() {
        String node = "{name: a, numaNodes: [{id: 0, cores: 1, memory: 1Gi}]}";

        assertThatThrownBy(() -> NodeSpecYaml.parse("nodes: [%s, %s]".formatted(node, node)))
                .hasMessageStartingWith("cannot read the nodes: field=nodes[1].name: name=a stands twice");
    }
}
