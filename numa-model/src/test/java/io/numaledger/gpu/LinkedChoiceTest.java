package io.numaledger.gpu;

import io.numaledger.gpu.PossibleSets.Group;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LinkedChoiceTest {

    /** A DGX-1 with V100: GPUs 0-3 are on NUMA node 0, 4-7 on 1. */
    private static final LinkMatrix CUBE_MESH = LinkMatrix.of(
            Matrices.parse(
                    "0 1 1 2 2 0 0 0;1 0 2 1 0 2 0 0;1 2 0 2 0 0 1 0;2 1 2 0 0 0 0 1;2 0 0 0 0 1 1 2;0 2 0 0 1 0 2 1;0 0 1 0 1 2 0 2;0 0 0 1 2 1 2 0"));

    /** Four GPUs with two bridges. */
    private static final LinkMatrix PAIRS = LinkMatrix.of(Matrices.parse("0 2 0 0;2 0 0 0;0 0 0 2;0 0 2 0"));

    private static final LinkDemand EVERY_PAIR = new LinkDemand(true, 0);

    private static PossibleSets anyOf(int size, int... gpus) {
        return new PossibleSets(List.of(new Group(GpuSet.of(gpus), 0, gpus.length)), size);
    }

    private static LinkedChoice random(LinkMatrix links, PossibleSets sets, LinkDemand demand) {
        return LinkedChoice.of(links, sets, demand).orElseThrow();
    }

    @Test
    void everySetOfOneNumaNodeIsLinked() {
        assertThat(random(CUBE_MESH, anyOf(3, 0, 1, 2, 3), EVERY_PAIR))
                .isEqualTo(new LinkedChoice(LinkVerdict.WILL, 4, 5, Optional.empty()));
    }

    @Test
    void someSetsOverTwoNumaNodesAreLinked() {
        assertThat(random(CUBE_MESH, anyOf(2, 0, 1, 4, 5), EVERY_PAIR).verdict())
                .isEqualTo(LinkVerdict.CAN);
    }

    @Test
    void noSetOfMoreThanABridgeIsLinked() {
        assertThat(random(PAIRS, anyOf(3, 0, 1, 2, 3), EVERY_PAIR))
                .isEqualTo(new LinkedChoice(LinkVerdict.CANNOT, 2, 2, Optional.empty()));
    }

    @Test
    void comparesOnlyTheSetsThatAPluginPrefers() {
        assertThat(LinkedChoice.of(PAIRS, List.of(GpuSet.of(2, 3)), EVERY_PAIR))
                .isEqualTo(new LinkedChoice(LinkVerdict.WILL, 2, 2, Optional.of(GpuSet.of(2, 3))));
        assertThat(LinkedChoice.of(PAIRS, List.of(GpuSet.of(0, 2), GpuSet.of(2, 3)), EVERY_PAIR))
                .isEqualTo(new LinkedChoice(LinkVerdict.CAN, 0, 2, Optional.empty()));
    }

    @Test
    void oneGpuIsLinkedAndHasNoLinks() {
        assertThat(random(PAIRS, anyOf(1, 0, 2), EVERY_PAIR).verdict()).isEqualTo(LinkVerdict.WILL);
        assertThat(random(PAIRS, anyOf(1, 0, 2), new LinkDemand(false, 1)).verdict())
                .isEqualTo(LinkVerdict.CANNOT);
    }

    /** Of GPUs 4 and 5, one is held, and it is unknown which. */
    @Test
    void takesAtMostAsManyAsAreFree() {
        PossibleSets sets =
                new PossibleSets(List.of(new Group(GpuSet.of(0), 0, 1), new Group(GpuSet.of(4, 5), 0, 1)), 2);
        assertThat(random(CUBE_MESH, sets, EVERY_PAIR))
                .isEqualTo(new LinkedChoice(LinkVerdict.CAN, 0, 2, Optional.empty()));
    }

    @ParameterizedTest(name = "{0} of 72")
    @CsvSource({"1", "8", "72"})
    void everySetIsLinkedWhereASwitchJoinsAll(int size) {
        int[][] counts = new int[72][72];
        for (int row = 0; row < 72; row++) {
            for (int column = 0; column < 72; column++) {
                counts[row][column] = row == column ? 0 : 18;
            }
        }
        LinkedChoice choice = random(
                LinkMatrix.of(counts), anyOf(size, GpuSet.first(72).indexes().toArray()), EVERY_PAIR);
        assertThat(choice.verdict()).isEqualTo(LinkVerdict.WILL);
        assertThat(choice.fewest()).isEqualTo(9L * size * (size - 1)).isEqualTo(choice.most());
    }

    @Test
    void givesUpWhereTooManySetsArePossible() {
        GpuTopology machine = Matrices.random(new Random(1), 40, 1);
        assertThat(LinkedChoice.of(
                        machine.links(), anyOf(20, machine.all().indexes().toArray()), EVERY_PAIR))
                .isEmpty();
    }

    @Test
    void rejectsASizeThatTheBoundsDoNotAllow() {
        assertThatThrownBy(() -> anyOf(3, 0, 1)).hasMessage("no set has this size: size=3, expected 0 to 2");
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEverySet(long seed) {
        Random random = new Random(seed);
        GpuTopology machine = Matrices.random(random, 1 + random.nextInt(10), random.nextInt(3));
        PossibleSets sets = EverySet.randomSets(random, machine);
        LinkDemand demand = new LinkDemand(random.nextBoolean(), random.nextInt(6));
        assertThat(LinkedChoice.of(machine.links(), sets, demand))
                .as("%s %s %s", machine.links(), sets, demand)
                .contains(EverySet.choice(machine.links(), sets, demand));
    }
}
