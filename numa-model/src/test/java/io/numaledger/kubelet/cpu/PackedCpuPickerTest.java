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

    /** CPUs 0 to 6 of the first of three NUMA nodes are in two sockets, with a cache in each. */
    private static CpuTopology cachesOfANumaNodeInTwoSockets() {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 9; cpu++) {
            int socket = cpu < 4 || cpu == 7 ? 0 : 1;
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(socket), cpu, OptionalInt.of(cpu < 7 ? socket : cpu)));
        }
        List<NumaNode> nodes = List.of(node(0, CpuSet.range(0, 6)), node(1, CpuSet.of(7)), node(2, CpuSet.of(8)));
        return new CpuTopology(new MachineTopology(CpuSet.range(0, 8), nodes, cpus));
    }

    @ParameterizedTest(name = "1.{0}")
    @CsvSource(delimiter = '|', textBlock = """
            37 | 4-6
            38 | 1-6
            """)
    void takesNoCacheTwiceFrom138On(int minor, String taken) {
        PackedCpuPicker picker =
                new PackedCpuPicker(cachesOfANumaNodeInTwoSockets(), true, false, new KubeletVersion(minor));

        assertThat(picker.pick(CpuSet.range(1, 6), 6)).isEqualTo(CpuSet.parse(taken));
    }

    /** One NUMA node with a socket of cores of CPUs 0 and 1, 2 and 3, and so on. */
    private static CpuTopology fourCores() {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 8; cpu++) {
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(0), cpu / 2 * 2, OptionalInt.empty()));
        }
        return new CpuTopology(new MachineTopology(CpuSet.range(0, 7), List.of(node(0, CpuSet.range(0, 7))), cpus));
    }

    /** CPUs of one thread each in a NUMA node with an L3 cache for CPUs 0 to 1, one for 2 to 3 and one for 4 to 11. */
    private static CpuTopology unequalCaches() {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 12; cpu++) {
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(0), cpu, OptionalInt.of(Math.min(cpu / 2, 2))));
        }
        return new CpuTopology(new MachineTopology(CpuSet.range(0, 11), List.of(node(0, CpuSet.range(0, 11))), cpus));
    }

    @ParameterizedTest(name = "{0}, 1.{1}")
    @CsvSource(delimiter = '|', textBlock = """
            a request below the average cache | 37 | 0-11 | 3 | 4-6
            a whole cache and a part          | 38 | 0-11 | 3 | 0-2
            a part of the first cache         | 38 | 0-11 | 1 | 0
            """)
    void takesWholeCachesFirst(String situation, int minor, String free, int count, String taken) {
        PackedCpuPicker picker = new PackedCpuPicker(unequalCaches(), true, false, new KubeletVersion(minor));

        assertThat(picker.pick(CpuSet.parse(free), count)).as(situation).isEqualTo(CpuSet.parse(taken));
    }

    @ParameterizedTest(name = "{0}, 1.{1}")
    @CsvSource(delimiter = '|', textBlock = """
            ids in order                    | 37 | 0-6   | 3 | 0-2
            cores in turn                   | 38 | 0-6   | 3 | 0,2,6
            cores with the fewest CPUs first | 38 | 0,3-7 | 4 | 0,3-4,6
            a second CPU of some cores      | 38 | 0,2-5 | 4 | 0,2-4
            """)
    void spreadsSingleCpus(String situation, int minor, String free, int count, String taken) {
        PackedCpuPicker picker = new PackedCpuPicker(fourCores(), false, true, new KubeletVersion(minor));

        assertThat(picker.pick(CpuSet.parse(free), count)).as(situation).isEqualTo(CpuSet.parse(taken));
    }
}
