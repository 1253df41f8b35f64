package io.numaledger.agent.doctor;

import io.numaledger.cli.Finding;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class KubeletFindingsTest {

    private static final String LIMIT = "max-allowable-numa-nodes";
    private static final AllocatableResources PLENTY = new AllocatableResources(
            CpuSet.parse("1-3"),
            List.of(new MemoryBlock("memory", 1 << 30, List.of(0))),
            List.of(new DeviceAllocation("nvidia.com/gpu", "gpu-0", List.of(0))));

    @Test
    void findsNothingWrongWithAPolicyWhoseManagersAreOn() {
        assertThat(KubeletFindings.of(settings("restricted", "static", "Static", ""), machine(8), Optional.of(PLENTY)))
                .containsExactly(Finding.ok("kubelet config", "topologyManagerPolicy=restricted"));
    }

    @ParameterizedTest(name = "{0}, {1}, {2}, {3} NUMA nodes, {4}")
    @CsvSource(delimiter = '|', textBlock = """
            none       | static | Static | 2 |                          | WARN | topologyManagerPolicy=none: nothing is aligned on this node; set best-effort, restricted or single-numa-node
            restricted | none   | Static | 2 |                          | WARN | cpuManagerPolicy=none: the Topology Manager aligns no CPUs; set static, and reservedSystemCPUs
            restricted | static | None   | 2 |                          | WARN | memoryManagerPolicy=None: the Topology Manager aligns no memory and no hugepages; set Static, and reservedMemory
            restricted | static | Static | 9 |                          | FAIL | the machine has 9 NUMA nodes and the kubelet takes 8 with a policy other than none: it does not start; set the policy option max-allowable-numa-nodes, or merge NUMA nodes in the firmware
            restricted | static | Static | 9 | max-allowable-numa-nodes | OK   | topologyManagerPolicy=restricted
            none       | static | Static | 9 |                          | WARN | topologyManagerPolicy=none: nothing is aligned on this node; set best-effort, restricted or single-numa-node
            """)
    void holdsTheConfigurationAgainstTheHardware(
            String policy, String cpus, String memory, int numaNodes, String option, Finding.Level level, String text) {
        List<Finding> found = KubeletFindings.of(
                settings(policy, cpus, memory, option == null ? "" : option), machine(numaNodes), Optional.of(PLENTY));

        assertThat(found.get(found.size() - 1)).isEqualTo(new Finding(level, "kubelet config", text));
    }

    @Test
    void findsManagersThatHaveNothingToGiveAndDevicesWithoutANumaNode() {
        AllocatableResources poor = new AllocatableResources(
                CpuSet.EMPTY, List.of(), List.of(new DeviceAllocation("example.com/fpga", "fpga-0", List.of())));

        assertThat(KubeletFindings.of(settings("restricted", "static", "Static", ""), machine(2), Optional.of(poor)))
                .extracting(Finding::text)
                .containsExactly(
                        "topologyManagerPolicy=restricted",
                        "cpuManagerPolicy=static, and the kubelet has no CPU to give out; check reservedSystemCPUs, and that the kubelet was restarted",
                        "memoryManagerPolicy=Static, and the kubelet has no memory to give out; check reservedMemory, and that the kubelet was restarted",
                        "1 of example.com/fpga have no NUMA node, so that nothing is aligned to them; check the device plugin, and the firmware's numa_node of the PCI slots");
    }

    @Test
    void findsDevicesOnNumaNodesThatTheMachineLacks() {
        AllocatableResources allocatable = new AllocatableResources(
                PLENTY.cpus(),
                PLENTY.memory(),
                List.of(
                        new DeviceAllocation("example.com/nic", "a", List.of(-1)),
                        new DeviceAllocation("example.com/nic", "b", List.of(9)),
                        new DeviceAllocation("example.com/nic", "c", List.of(1))));

        assertThat(KubeletFindings.of(
                        settings("restricted", "static", "Static", ""), machine(2), Optional.of(allocatable)))
                .last()
                .asString()
                .startsWith(
                        "warn  devices         2 of example.com/nic are on NUMA nodes that the machine does not have: ");
    }

    @Test
    void saysThatThePolicyIsNotKnown() {
        assertThat(KubeletFindings.of(KubeletSettings.UNKNOWN, machine(2), Optional.empty()))
                .containsExactly(
                        Finding.warn(
                                "kubelet config",
                                "the Topology Manager's policy is not known, and not published; see the finding on configz, or give --kubelet-config or --topology-manager-policy"));
    }

    private static KubeletSettings settings(String policy, String cpus, String memory, String option) {
        return new KubeletSettings(
                Optional.of(TopologyPolicyName.parse(policy)),
                Optional.of(TopologyScope.CONTAINER),
                new TreeMap<>(option.equals(LIMIT) ? Map.of(LIMIT, "16") : Map.of()),
                Optional.of(CpuPolicy.parse(cpus)),
                new TreeMap<>(),
                Optional.of(MemoryPolicy.parse(memory)),
                new TreeMap<>());
    }

    private static MachineTopology machine(int numaNodes) {
        return new MachineTopology(
                CpuSet.EMPTY,
                IntStream.range(0, numaNodes)
                        .mapToObj(id -> new NumaNode(
                                id, CpuSet.EMPTY, OptionalLong.of(1 << 30), new TreeMap<>(), new TreeMap<>()))
                        .toList(),
                List.of());
    }
}
