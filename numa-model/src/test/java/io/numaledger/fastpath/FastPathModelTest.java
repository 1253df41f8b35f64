package io.numaledger.fastpath;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class FastPathModelTest {

    /** Four NUMA nodes of two CPUs; the socket and the core of each CPU as one digit. */
    @ParameterizedTest(name = "{0}, {3}, {4}")
    @CsvSource(delimiter = '|', textBlock = """
            regular                         | 00001111 | 01234567 | 1.37 | none       | true
            a socket in two zones           | 01123456 | 01234567 | 1.37 | restricted | false
            a zone in two sockets           | 00011111 | 01234567 | 1.37 | restricted | false
            one core of two CPUs            | 00001111 | 00234567 | 1.37 | restricted | false
            sockets of two and six CPUs     | 00111111 | 01234567 | 1.37 | restricted | true
            sockets of two and six CPUs     | 00111111 | 01234567 | 1.37 | none       | false
            zones with one and two sockets  | 01223456 | 01234567 | 1.37 | restricted | false
            a socket in two zones           | 01123456 | 01234567 | 1.38 | restricted | false
            one core of two CPUs            | 00001111 | 00234567 | 1.38 | restricted | true
            sockets of two and six CPUs     | 00111111 | 01234567 | 1.38 | none       | true
            regular, a later release        | 00001111 | 01234567 | 1.39 | none       | false
            """)
    void existsWhereContainersGetAllTheirCpus(
            String machine, String sockets, String cores, String version, String policy, boolean exists) {
        KubeletModel kubelet = KubeletModel.start(Machine.of(topology(sockets, cores)), config(version, policy));

        assertThat(FastPathModel.of(kubelet, ZoneTable.of(kubelet), new ResourceIndex()))
                .as(machine)
                .matches(model -> model.isPresent() == exists);
    }

    private static MachineTopology topology(String sockets, String cores) {
        List<NumaNode> nodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 8; cpu++) {
            OptionalInt socket = OptionalInt.of(sockets.charAt(cpu) - '0');
            cpus.add(new LogicalCpu(cpu, socket, cores.charAt(cpu) - '0', OptionalInt.empty()));
            if (cpu % 2 == 1) {
                CpuSet own = CpuSet.range(cpu - 1, cpu);
                nodes.add(new NumaNode(cpu / 2, own, OptionalLong.empty(), new TreeMap<>(), new TreeMap<>()));
            }
        }
        return new MachineTopology(CpuSet.range(0, 7), nodes, cpus);
    }

    private static KubeletConfig config(String version, String policy) {
        return new KubeletConfig(
                KubeletVersion.parse(version),
                TopologyManagerConfig.of(TopologyPolicyName.parse(policy), TopologyScope.POD),
                CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                MemoryManagerConfig.OFF);
    }
}
