package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.KubeletVersion;
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

class PackedCpuPickerTest {

    /** Twelve CPUs of one thread each in two NUMA nodes and three sockets: the second socket lies in both NUMA nodes. */
    private static CpuTopology overlapping() {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 12; cpu++) {
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(cpu / 4), cpu, OptionalInt.empty()));
        }
        List<NumaNode> nodes = List.of(node(0, CpuSet.range(0, 5)), node(1, CpuSet.range(6, 11)));
        return new CpuTopology(new MachineTopology(CpuSet.range(0, 11), nodes, cpus));
    }

    private static NumaNode node(int id, CpuSet cpus) {
        return new NumaNode(id, cpus, OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            whole cores              | false | 1-3,5-10 | 7 | 1-3,5-7
            single CPUs, spread      | true  | 1-3,5-10 | 8 | 1-3,5-7
            only sockets of one node | true  | 1-3      | 2 | 1-2
            """)
    void countsCpusOfASocketInTwoNumaNodesTwice(
            String situation, boolean spread, String free, int count, String taken) {
        PackedCpuPicker picker = new PackedCpuPicker(overlapping(), false, spread, new KubeletVersion(37));

        assertThat(picker.pick(CpuSet.parse(free), count)).as(situation).isEqualTo(CpuSet.parse(taken));
    }
}
