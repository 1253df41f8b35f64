package io.numaledger.nrt.numaplacement;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class ContainerPlacementsTest {

    private static final MachineTopology MACHINE =
            new MachineTopology(CpuSet.range(0, 7), List.of(node(0, "0-3"), node(1, "4-7")), List.of());

    @ParameterizedTest(name = "{0} is {1}")
    @CsvSource(delimiter = ' ', quoteCharacter = '\0', textBlock = """
            0 !
            1 #
            63 e
            64 f!
            127 fe
            128 g!
            1663 ~e
            1664 gf!
            2047 gke
            40063 ~~e
            40064 gff!
            """)
    void writesNumbersAsTheFormPublishesThem(int value, String expected) {
        assertThat(Leb89.write(value)).isEqualTo(expected);
    }

    @Test
    void saysThatNothingIsPlaced() {
        ContainerPlacements none = ContainerPlacements.of(MACHINE, List.of());
        assertThat(none.metadata()).isEqualTo("npv0v001::ve=leb89::cc=0::nn=2::bn=0");
        assertThat(none.vectors()).isEmpty();
    }

    @Test
    void leavesTheBusiestNumaNodeToBeInferred() {
        ContainerPlacements placements =
                ContainerPlacements.of(MACHINE, List.of(pod("a", "0"), pod("b", "4"), pod("c", "5-6")));
        assertThat(placements.metadata()).isEqualTo("npv0v001::ve=leb89::cc=3::nn=2::bn=1");
        assertThat(placements.vectors()).containsOnlyKeys(0);
    }

    /** resource-topology-exporter drops the attribute of the whole node (fault 11 of its own). */
    @Test
    void keepsTheOthersWhenOneContainerLiesOnTwoNumaNodes() {
        ContainerPlacements placements = ContainerPlacements.of(MACHINE, List.of(pod("a", "0"), pod("wide", "3-4")));
        assertThat(placements.metadata()).isEqualTo("npv0v001::ve=leb89::cc=1::nn=2::bn=0");
    }

    private static PodAllocation pod(String name, String cpus) {
        return new PodAllocation(
                "ns", name, List.of(new ContainerAllocation("c", CpuSet.parse(cpus), List.of(), new ArrayList<>())));
    }

    private static NumaNode node(int id, String cpus) {
        return new NumaNode(id, CpuSet.parse(cpus), OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }
}
