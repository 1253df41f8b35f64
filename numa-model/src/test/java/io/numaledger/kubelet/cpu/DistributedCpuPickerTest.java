package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.hint.KubeletFailureException;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class DistributedCpuPickerTest {

    /** One socket of NUMA nodes with {@code perNode} CPUs each, {@code threads} to a core. */
    private static CpuTopology machine(int numaNodes, int perNode, int threads) {
        List<NumaNode> nodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int node = 0; node < numaNodes; node++) {
            CpuSet own = CpuSet.range(perNode * node, perNode * (node + 1) - 1);
            nodes.add(new NumaNode(node, own, OptionalLong.empty(), new TreeMap<>(), new TreeMap<>()));
            own.ids()
                    .forEach(cpu -> cpus.add(new LogicalCpu(
                            cpu, OptionalInt.of(0), Math.floorDiv(cpu, threads) * threads, OptionalInt.empty())));
        }
        return new CpuTopology(new MachineTopology(CpuSet.range(0, perNode * numaNodes - 1), nodes, cpus));
    }

    private static DistributedCpuPicker pick(CpuTopology topology, int groupSize) {
        return pick(topology, groupSize, 36);
    }

    private static DistributedCpuPicker pick(CpuTopology topology, int groupSize, int minor) {
        KubeletVersion version = new KubeletVersion(minor);
        return new DistributedCpuPicker(
                topology, new PackedCpuPicker(topology, false, false, version), groupSize, false, version);
    }

    private static DistributedCpuPicker bySocket(CpuTopology topology) {
        KubeletVersion version = new KubeletVersion(37);
        return new DistributedCpuPicker(
                topology, new PackedCpuPicker(topology, false, false, version), 1, true, version);
    }

    /** CPUs of one thread each. */
    private static CpuTopology machine(String numaNodes, String sockets) {
        List<CpuSet> bySocket = Stream.of(sockets.split(" ")).map(CpuSet::parse).toList();
        List<NumaNode> nodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        for (String node : numaNodes.split(" ")) {
            CpuSet own = CpuSet.parse(node);
            nodes.add(new NumaNode(nodes.size(), own, OptionalLong.empty(), new TreeMap<>(), new TreeMap<>()));
            own.ids().forEach(cpu -> {
                int socket = bySocket.indexOf(bySocket.stream()
                        .filter(set -> set.contains(cpu))
                        .findFirst()
                        .orElseThrow());
                cpus.add(new LogicalCpu(cpu, OptionalInt.of(socket), cpu, OptionalInt.empty()));
            });
        }
        return new CpuTopology(new MachineTopology(CpuSet.range(0, cpus.size() - 1), nodes, cpus));
    }

    @ParameterizedTest(name = "1.{0}: {1} of 8 × 4 CPUs are on NUMA nodes {2}")
    @CsvSource(delimiter = '|', textBlock = """
            36 | 16 | 0,1,2,7
            36 | 24 | 0,1,2,3,4,7
            36 | 28 | 0,1,2,3,4,6,7
            36 | 12 | 0,1,2
            38 | 16 | 0,1,2,3
            38 | 24 | 0,1,2,3,4,5
            """)
    void endsUpOnTheNodesThatSharedSlicesLeave(int minor, int count, String nodes) {
        CpuTopology topology = machine(8, 4, 1);

        CpuPicker.Result result = pick(topology, 1, minor).pick(topology.all(), count, 0);

        CpuSet cpus = ((CpuPicker.Result.Taken) result).cpus();
        assertThat(topology.itemsOf(CpuTopology.Level.NUMA_NODE, cpus))
                .containsExactlyElementsOf(CpuSet.parse(nodes).ids().boxed().toList());
        assertThat(cpus.size()).isEqualTo(count);
    }

    /** Four NUMA nodes of four CPUs, two to a socket. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the balance is best over two sockets | 1-15      | 7 | 4-10     | 8-14
            a NUMA node has less than its share  | 3,4-7     | 5 | 3,4-7    | 3,4-7
            an uneven share within one socket    | 2-3,4-7,8 | 5 | 2-3,4-6  | 2-3,4-6
            """)
    void prefersOneSocketOverTheBalanceFrom137(String situation, String free, int count, String before, String since) {
        CpuTopology topology = machine("0-3 4-7 8-11 12-15", "0-7 8-15");

        CpuPicker.Result without = pick(topology, 1).pick(CpuSet.parse(free), count, 0);
        CpuPicker.Result with = bySocket(topology).pick(CpuSet.parse(free), count, 0);

        assertThat(List.of(without, with))
                .as(situation)
                .containsExactly(
                        new CpuPicker.Result.Taken(CpuSet.parse(before)),
                        new CpuPicker.Result.Taken(CpuSet.parse(since)));
    }

    /** Four NUMA nodes of four CPUs in one socket. */
    @ParameterizedTest(name = "{0}, 1.{1}")
    @CsvSource(delimiter = '|', textBlock = """
            the fewest NUMA nodes             | 37 | 4 | 2 | 0-3
            as many as the hint               | 38 | 4 | 2 | 0-1,4-5
            no hint                           | 38 | 4 | 0 | 0-3
            more NUMA nodes than CPUs         | 38 | 3 | 4 | 0-2
            fewer NUMA nodes than are needed  | 38 | 8 | 1 | 0-7
            """)
    void distributesOverTheNumaNodesOfTheHint(String situation, int minor, int count, int hinted, String cpus) {
        CpuTopology topology = machine(4, 4, 1);

        assertThat(pick(topology, 1, minor).pick(topology.all(), count, hinted))
                .as(situation)
                .isEqualTo(new CpuPicker.Result.Taken(CpuSet.parse(cpus)));
    }

    @Test
    void countsANumaNodeInTwoSocketsOnceWhereTheKubeletSumsOverSets() {
        CpuTopology topology = machine("0-1 2-3 4-5", "0-2 3-5");

        assertThat(pick(topology, 1).pick(CpuSet.range(1, 4), 4, 0))
                .isEqualTo(new CpuPicker.Result.Taken(CpuSet.range(1, 4)));
    }

    @Test
    void saysThatTheKubeletHangsWhereOnlyHalvesOfCoresAreLeft() {
        CpuTopology topology = machine(4, 8, 2);
        CpuSet fiveOfEachNode = CpuSet.parse("0-4,8-12,16-20,24-28");

        assertThatThrownBy(() -> pick(topology, 2).pick(fiveOfEachNode, 14, 0))
                .isInstanceOf(KubeletFailureException.class)
                .hasMessageContaining("kubernetes#140730");
    }

    @Test
    void findsWholeCoresForTheRestFrom138() {
        CpuTopology topology = machine(4, 8, 2);
        CpuSet fiveOfEachNode = CpuSet.parse("0-4,8-12,16-20,24-28");

        assertThat(pick(topology, 2, 38).pick(fiveOfEachNode, 14, 0))
                .isEqualTo(new CpuPicker.Result.Taken(CpuSet.parse("0-3,8-11,16-19,24-25")));
    }
}
