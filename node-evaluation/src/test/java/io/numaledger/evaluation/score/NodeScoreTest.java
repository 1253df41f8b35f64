package io.numaledger.evaluation.score;

import io.numaledger.fastpath.ZoneTable;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.device.Device;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Two zones with 8 allocatable CPUs and 4 devices each; CPU 16 of zone 1 is reserved. */
class NodeScoreTest {

    private static final ZoneTable TABLE = ZoneTable.of(kubelet());

    private static KubeletModel kubelet() {
        CpuSet all = CpuSet.range(0, 16);
        List<LogicalCpu> cpus = all.ids()
                .mapToObj(id -> new LogicalCpu(id, OptionalInt.of(id < 8 ? 0 : 1), id, OptionalInt.empty()))
                .toList();
        List<Device> devices = IntStream.range(0, 8)
                .mapToObj(i -> new Device("d" + i, AffinityMask.of(i / 4), true))
                .toList();
        return KubeletModel.start(
                new Machine(
                        new MachineTopology(
                                all, List.of(numaNode(0, CpuSet.range(0, 7)), numaNode(1, CpuSet.range(8, 16))), cpus),
                        new TreeMap<>(Map.of("example.com/gpu", devices))),
                new KubeletConfig(
                        new KubeletVersion(KubeletVersion.NEWEST),
                        TopologyManagerConfig.OFF,
                        new CpuManagerConfig(CpuPolicy.STATIC, new TreeMap<>(), CpuSet.of(16), OptionalLong.empty()),
                        MemoryManagerConfig.OFF,
                        new TreeMap<>()));
    }

    private static NumaNode numaNode(int id, CpuSet cpus) {
        return new NumaNode(id, cpus, OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }

    /** @param amounts CPUs of zone 0 and 1, devices of zone 0 and 1 */
    private static FreeAmounts free(long... amounts) {
        assertThat(TABLE.resources()).containsExactly("cpu", "example.com/gpu");
        return new FreeAmounts(TABLE, amounts);
    }

    private static PlacementChange taking(long... amounts) {
        return new PlacementChange(free(8, 8, 4, 4), amounts);
    }

    private static long score(ScoringCriterion criterion, PlacementChange change) {
        return new NodeScore(Strategy.LeastAllocated).of(criterion, change);
    }

    @Test
    void fewerZonesScoreHigher() {
        assertThat(score(ScoringCriterion.FewestZones, taking(4, 0, 0, 0))).isEqualTo(100);
        assertThat(score(ScoringCriterion.FewestZones, taking(4, 0, 0, 1))).isEqualTo(50);
    }

    @Test
    void fragmentationCountsOnlyWhereTheLargestZoneShrinks() {
        PlacementChange intoAnEmptyNode = taking(4, 0, 2, 0);
        PlacementChange besideAnotherPod = new PlacementChange(free(4, 8, 4, 4), new long[] {4, 0, 2, 0});
        PlacementChange overBothZones = taking(4, 4, 0, 0);

        assertThat(score(ScoringCriterion.LeastFragmentation, intoAnEmptyNode))
                .as("the other zone stays empty")
                .isEqualTo(100);
        assertThat(score(ScoringCriterion.LeastFragmentation, besideAnotherPod)).isEqualTo(100);
        assertThat(score(ScoringCriterion.LeastFragmentation, overBothZones))
                .as("no zone can take more than half of the largest request")
                .isEqualTo(50);
    }

    @ParameterizedTest(name = "{0} of {1} CPUs and {2} of {3} devices: {4}")
    @CsvSource({
        "Least,  2, 8, 0, 75",
        "Most,   2, 8, 0, 25",
        "Least,  2, 8, 3, 50",
        "Most,   2, 8, 3, 50",
        "Bal,    2, 8, 0, 100",
        "Bal,    2, 8, 3, 50"
    })
    void strategiesScoreTheZonesThatThePodUses(String name, long cpus, long freeCpus, long devices, long expected) {
        Strategy strategy = switch (name) {
            case "Least" -> Strategy.LeastAllocated;
            case "Most" -> Strategy.MostAllocated;
            default -> Strategy.BalancedAllocation;
        };
        PlacementChange change = new PlacementChange(free(freeCpus, 8, 4, 4), new long[] {cpus, 0, devices, 0});

        assertThat(new NodeScore(strategy).of(ScoringCriterion.Strategy, change))
                .isEqualTo(expected);
    }

    @Test
    void theWorstZoneDecidesTheStrategy() {
        assertThat(score(ScoringCriterion.Strategy, taking(2, 6, 0, 0))).isEqualTo(25);
    }

    @Test
    void eachCriterionDecidesWhereTheEarlierOnesTie() {
        Ranking ranking = new Ranking(ScoringCriterion.DEFAULT, Strategy.DEFAULT);
        PlacementChange twoZones = taking(2, 2, 0, 0);
        PlacementChange largestZone = new PlacementChange(free(8, 4, 4, 4), new long[] {4, 0, 0, 0});
        PlacementChange fullZone = new PlacementChange(free(4, 8, 4, 4), new long[] {4, 0, 0, 0});
        PlacementChange halfZone = new PlacementChange(free(4, 8, 4, 4), new long[] {2, 0, 0, 0});

        assertThat(List.of(
                        ranking.rank(twoZones),
                        ranking.rank(largestZone),
                        ranking.rank(fullZone),
                        ranking.rank(halfZone)))
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @EnumSource
    void eachStrategyDecidesByItself(Strategy strategy) {
        Ranking ranking = new Ranking(List.of(ScoringCriterion.Strategy), strategy);

        assertThat(ranking.rank(taking(2, 0, 1, 0))).isNotEqualTo(ranking.rank(taking(4, 0, 1, 0)));
    }
}
