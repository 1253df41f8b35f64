package io.numaledger.topology;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class MachineTopologyTest {

    @Test
    void countsCoresAndSocketsOnce() {
        MachineTopology machine = new MachineTopology(
                CpuSet.range(0, 4),
                List.of(),
                List.of(
                        cpu(0, 36, 0),
                        cpu(1, 36, 0),
                        cpu(2, 40, 2),
                        new LogicalCpu(3, OptionalInt.empty(), 3, OptionalInt.empty())));

        assertThat(machine.coreCount()).isEqualTo(3);
        assertThat(machine.socketCount()).isEqualTo(2);
    }

    @Test
    void findsTheNumaNodeOfACpuByItsRealId() {
        MachineTopology machine = new MachineTopology(
                CpuSet.range(0, 3), List.of(node(250, ""), node(8, "2-3"), node(0, "0-1")), List.of());

        assertThat(machine.numaNodes()).extracting(NumaNode::id).containsExactly(0, 8, 250);
        assertThat(machine.numaNodeOfCpu(3)).hasValue(8);
        assertThat(machine.numaNodeOfCpu(4)).isEmpty();
        assertThat(machine.numaNode(250)).map(NumaNode::zoneName).contains("node-250");
    }

    @Test
    void refusesANumaNodeThatStandsTwice() {
        assertThatThrownBy(() -> new MachineTopology(CpuSet.EMPTY, List.of(node(1, ""), node(1, "")), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("duplicate NUMA node id: id=1 count=2");
    }

    private static LogicalCpu cpu(int id, int socket, int core) {
        return new LogicalCpu(id, OptionalInt.of(socket), core, OptionalInt.empty());
    }

    private static NumaNode node(int id, String cpus) {
        return new NumaNode(id, CpuSet.parse(cpus), OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }
}
