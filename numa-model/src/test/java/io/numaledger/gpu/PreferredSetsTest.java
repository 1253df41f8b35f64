package io.numaledger.gpu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntBinaryOperator;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

class PreferredSetsTest {

    private static final int ORDERS = 60;

    /** Enough for every order of 5 GPUs, each of which has 1 of 120 chances. */
    private static final int ALL_ORDERS = 2000;

    private static GpuTopology machine(String rows, PcieLevel level) {
        int[][] counts = Matrices.parse(rows);
        return Matrices.topology(counts, PcieLevels.of(counts.length, (row, column) -> Optional.of(level)));
    }

    private static Optional<List<GpuSet>> preferred(GpuTopology machine, int size, int... free) {
        return PreferredSets.of(machine, GpuSet.of(free), size);
    }

    @Test
    void prefersTheBridgesOfAllFreeGpus() {
        GpuTopology pairs = machine("0 2 0 0;2 0 0 0;0 0 0 2;0 0 2 0", PcieLevel.PHB);
        assertThat(preferred(pairs, 2, 0, 1, 2, 3)).contains(List.of(GpuSet.of(0, 1), GpuSet.of(2, 3)));
        assertThat(preferred(pairs, 2, 0, 1, 2)).contains(List.of(GpuSet.of(0, 1)));
        assertThat(preferred(pairs, 2, 0, 2)).contains(List.of(GpuSet.of(0, 2)));
    }

    /** A chain 0-1-2-3: the pair 1-2 has the most links, and leaves 0 and 3 without one. */
    @Test
    void prefersAnotherSetThanTheOneWithTheMostLinks() {
        GpuTopology chain = machine("0 2 0 0;2 0 3 0;0 3 0 2;0 0 2 0", PcieLevel.PHB);
        assertThat(preferred(chain, 2, 0, 1, 2, 3)).contains(List.of(GpuSet.of(0, 1), GpuSet.of(2, 3)));
    }

    /** The link scores 100; two pairs without a link score 120 at most. */
    @Test
    void anUnknownDistanceMayBeAnyDistance() {
        String link = "0 1 0 0;1 0 0 0;0 0 0 0;0 0 0 0";
        assertThat(preferred(machine(link, PcieLevel.PHB), 2, 0, 1, 2, 3)).contains(List.of(GpuSet.of(0, 1)));
        assertThat(preferred(Matrices.topology(Matrices.parse(link), PcieLevels.unknown(4)), 2, 0, 1, 2, 3))
                .hasValueSatisfying(sets -> assertThat(sets).contains(GpuSet.of(0, 1), GpuSet.of(1, 2)));
    }

    /** Of five GPUs and a set of three, the two others are a set too; here it has the only link. */
    @Test
    void isUnknownWhereThePluginMayPreferASetThatIsTooSmall() {
        int[][] counts = Matrices.parse("0 4 0 0 0;4 0 0 0 0;0 0 0 0 0;0 0 0 0 0;0 0 0 0 0");
        PcieLevels levels =
                PcieLevels.of(5, (row, column) -> Optional.of(row >= 2 && column >= 2 ? PcieLevel.PXB : PcieLevel.SYS));
        assertThat(preferred(Matrices.topology(counts, levels), 3, 0, 1, 2, 3, 4))
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            more links than the plugin counts | 13 | DIRECT | 4
            links of switches                 | 4  | SWITCH | 4
            too many GPUs                     | 4  | DIRECT | 9
            """)
    void isUnknownFor(String situation, int links, LinkKind kind, int gpus) {
        int[][] counts = new int[gpus][gpus];
        counts[0][1] = links;
        counts[1][0] = links;
        GpuTopology machine = Matrices.topology(counts, PcieLevels.unknown(gpus));
        assertThat(PreferredSets.of(
                        new GpuTopology(machine.gpus(), kind, machine.links(), machine.pcie(), Optional.empty()),
                        machine.all(),
                        2))
                .isEmpty();
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    /** The plugin's own steps, with distances that agree with what is known and the GPUs in random order. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void hasEverySetThatThePluginReturns(long seed) {
        Random random = new Random(seed);
        GpuTopology machine = Matrices.random(random, 1 + random.nextInt(8), random.nextInt(3));
        int size = 1 + random.nextInt(machine.gpus().size());
        Optional<List<GpuSet>> preferred = PreferredSets.of(machine, machine.all(), size);
        for (int order = 0; order < ORDERS && preferred.isPresent(); order++) {
            assertThat(preferred.get())
                    .as("size=%d %s %s", size, machine.links(), machine.pcie())
                    .contains(allocate(random, machine, size, score(random, machine)));
        }
    }

    /** Without unknown distances, each set is that of some order. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void hasNoOtherSets(long seed) {
        Random random = new Random(seed);
        GpuTopology unknown = Matrices.random(random, 2 + random.nextInt(4), 2);
        GpuTopology machine = new GpuTopology(
                unknown.gpus(),
                LinkKind.DIRECT,
                unknown.links(),
                PcieLevels.of(
                        unknown.gpus().size(),
                        (row, column) -> Optional.of(random.nextBoolean() ? PcieLevel.PXB : PcieLevel.SYS)),
                Optional.empty());
        int size = 1 + random.nextInt(machine.gpus().size());
        TreeSet<GpuSet> returned = new TreeSet<>();
        for (int order = 0; order < ALL_ORDERS; order++) {
            returned.add(allocate(random, machine, size, score(random, machine)));
        }
        PreferredSets.of(machine, machine.all(), size)
                .ifPresent(preferred -> assertThat(preferred)
                        .as("size=%d %s %s", size, machine.links(), machine.pcie())
                        .containsExactlyElementsOf(returned));
    }

    private static GpuSet allocate(Random random, GpuTopology machine, int size, IntBinaryOperator score) {
        List<Integer> order = new ArrayList<>(machine.all().indexes().boxed().toList());
        Collections.shuffle(order, random);
        return BestEffortPolicy.allocate(order, size, score);
    }

    private static IntBinaryOperator score(Random random, GpuTopology machine) {
        int gpus = machine.gpus().size();
        int[][] levels = new int[gpus][gpus];
        for (int first = 0; first < gpus; first++) {
            for (int second = first + 1; second < gpus; second++) {
                int unknown = random.nextInt(7) * 10;
                int pix = random.nextBoolean() ? 50 : 60;
                levels[first][second] = machine.pcie()
                        .level(first, second)
                        .map(level -> level == PcieLevel.PIX ? pix : level.score())
                        .orElse(unknown);
            }
        }
        return (first, second) -> 100 * machine.links().links(first, second) + levels[first][second];
    }
}
