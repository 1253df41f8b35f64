package io.numaledger.gpu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Comparator;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LinkedSetSearchTest {

    private static final GpuSet WITH_BROKEN_GROUPS = GpuSet.first(72).minus(GpuSet.of(0, 5, 10));

    static LongStream seeds() {
        return LongStream.range(0, 60);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEverySubset(long seed) {
        Random random = new Random(seed);
        GpuTopology machine = Matrices.random(random, 1 + random.nextInt(9), random.nextInt(4));
        LinkedSetSearch search = new LinkedSetSearch(machine);
        for (int size = 1; size <= machine.gpus().size() + 1; size++) {
            GpuSet free = new GpuSet(random.nextInt(1 << machine.gpus().size()), 0);
            GpuSet required = free.isEmpty() || random.nextBoolean()
                    ? GpuSet.NONE
                    : GpuSet.of(free.indexes().findFirst().orElseThrow());
            assertThat(search.best(size, free, required).map(LinkedSet::gpus))
                    .as("size=%d free=%s required=%s", size, free, required)
                    .isEqualTo(bestByDefinition(machine, size, free, required));
        }
    }

    /** The tie rules as the class comment states them, one after the other. */
    private static Optional<GpuSet> bestByDefinition(GpuTopology machine, int size, GpuSet free, GpuSet required) {
        LinkMatrix links = machine.links();
        Comparator<GpuSet> better = Comparator.<GpuSet>comparingLong(links::total)
                .thenComparingInt(set -> weakestPair(machine, set))
                .thenComparingInt(set -> levels(machine, set))
                .thenComparingLong(set -> -numaNodes(machine, set))
                .thenComparingLong(set -> links.total(free.minus(set)))
                .thenComparing(Comparator.reverseOrder());
        return subsetsOf(machine.gpus().size())
                .filter(set -> set.size() == size && free.containsAll(set) && set.containsAll(required))
                .max(better);
    }

    private static Stream<GpuSet> subsetsOf(int gpus) {
        return LongStream.range(0, 1L << gpus).mapToObj(mask -> new GpuSet(mask, 0));
    }

    private static int weakestPair(GpuTopology machine, GpuSet set) {
        return set.indexes()
                .flatMap(i -> set.indexes()
                        .filter(j -> j < i)
                        .map(j -> machine.links().links(i, j)))
                .min()
                .orElse(Integer.MAX_VALUE);
    }

    private static int levels(GpuTopology machine, GpuSet set) {
        return set.indexes()
                .flatMap(i -> set.indexes()
                        .filter(j -> j < i)
                        .map(j -> machine.pcie().score(i, j).orElse(0)))
                .sum();
    }

    private static long numaNodes(GpuTopology machine, GpuSet set) {
        return set.indexes()
                .mapToObj(i -> machine.gpus().get(i).numaNode())
                .distinct()
                .count();
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void findsTheLargestCliqueThatTryingEverySubsetFinds(long seed) {
        Random random = new Random(seed);
        GpuTopology machine = Matrices.random(random, 1 + random.nextInt(9), 1);
        GpuSet free = new GpuSet(random.nextInt(1 << machine.gpus().size()), 0);
        GpuSet largest = subsetsOf(machine.gpus().size())
                .filter(set -> free.containsAll(set) && weakestPair(machine, set) > 0)
                .max(Comparator.comparingInt(GpuSet::size).thenComparing(Comparator.reverseOrder()))
                .orElseThrow();
        assertThat(new LinkedSetSearch(machine).largestClique(free)).isEqualTo(largest);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void boundedSearchNeverClaimsMoreThanItFound(long seed) {
        Random random = new Random(seed);
        GpuTopology machine = Matrices.random(random, 4 + random.nextInt(8), 3);
        int size = 2 + random.nextInt(3);
        LinkedSet bounded = new BoundedSearch(machine, size, machine.all(), GpuSet.NONE).best();
        LinkedSet exact = new LinkedSetSearch(machine).best(size, machine.all()).orElseThrow();
        assertThat(bounded.gpus().size()).isEqualTo(size);
        assertThat(bounded.links())
                .isEqualTo(machine.links().total(bounded.gpus()))
                .isLessThanOrEqualTo(exact.links());
        assertThat(bounded.provenBest() && bounded.links() < exact.links()).isFalse();
    }

    @ParameterizedTest(name = "{0} of 72")
    @CsvSource({"1", "4", "36", "71", "72"})
    void provesItsChoiceWhereASwitchJoins72(int size) {
        LinkedSetSearch search = new LinkedSetSearch(blocks(72, 72, 18));
        LinkedSet found = search.best(size, GpuSet.first(72)).orElseThrow();
        assertThat(found.links()).isEqualTo(18L * size * (size - 1) / 2);
        assertThat(found.provenBest()).isTrue();
        assertThat(search.largestClique(GpuSet.first(72)).size()).isEqualTo(72);
    }

    @ParameterizedTest(name = "{0} of 72 in groups of 4")
    @CsvSource({"4,36", "8,72", "12,108"})
    void findsWholeGroupsAmong72(int size, long links) {
        LinkedSet found = new LinkedSetSearch(blocks(72, 4, 6))
                .best(size, WITH_BROKEN_GROUPS)
                .orElseThrow();
        assertThat(found.links()).isEqualTo(links);
        assertThat(found.gpus().and(GpuSet.first(12))).isEqualTo(GpuSet.NONE);
    }

    @Test
    void takesABrokenGroupWhereItIsEnough() {
        LinkedSet found = new LinkedSetSearch(blocks(72, 4, 6))
                .best(3, WITH_BROKEN_GROUPS)
                .orElseThrow();
        assertThat(found).isEqualTo(new LinkedSet(GpuSet.of(1, 2, 3), 18, true));
    }

    @Test
    void theLargestCliqueIsAWholeGroup() {
        assertThat(new LinkedSetSearch(blocks(72, 4, 6)).largestClique(WITH_BROKEN_GROUPS))
                .isEqualTo(GpuSet.of(12, 13, 14, 15));
    }

    @Test
    void isExactForFewFreeGpusOfMany() {
        LinkedSet found = new LinkedSetSearch(blocks(72, 4, 6))
                .best(2, GpuSet.of(0, 4, 70, 71))
                .orElseThrow();
        assertThat(found).isEqualTo(new LinkedSet(GpuSet.of(70, 71), 6, true));
    }

    @Test
    void keepsARequiredGpuAmong72() {
        LinkedSet found = new LinkedSetSearch(blocks(72, 4, 6))
                .best(4, GpuSet.first(72), GpuSet.of(41))
                .orElseThrow();
        assertThat(found.gpus()).isEqualTo(GpuSet.of(40, 41, 42, 43));
    }

    private static GpuTopology blocks(int gpus, int blockSize, int links) {
        int[][] counts = new int[gpus][gpus];
        for (int i = 0; i < gpus; i++) {
            for (int j = 0; j < gpus; j++) {
                counts[i][j] = i != j && i / blockSize == j / blockSize ? links : 0;
            }
        }
        return Matrices.topology(counts, PcieLevels.unknown(gpus));
    }

    @Test
    void leavesOutGpusThatTheMachineDoesNotHave() {
        LinkedSetSearch search = new LinkedSetSearch(blocks(4, 2, 1));
        assertThat(search.best(2, GpuSet.of(3, 4, 5))).isEmpty();
        assertThat(search.best(1, GpuSet.of(3, 4, 5)).map(LinkedSet::gpus)).contains(GpuSet.of(3));
    }

    @Test
    void refusesToPickNothing() {
        LinkedSetSearch search = new LinkedSetSearch(GpuTopology.NONE);
        assertThatThrownBy(() -> search.best(0, GpuSet.NONE))
                .hasMessage("a set to pick has 1 GPU or more: size=0; ask for one");
    }
}
