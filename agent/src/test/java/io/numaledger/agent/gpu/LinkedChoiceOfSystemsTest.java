package io.numaledger.agent.gpu;

import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.LinkVerdict;
import io.numaledger.gpu.LinkedChoice;
import io.numaledger.gpu.PossibleSets;
import io.numaledger.gpu.PossibleSets.Group;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** The choice on real systems, against a look at every subset of their GPUs. */
class LinkedChoiceOfSystemsTest {

    private static final int ROUNDS = 40;

    static List<Path> systems() {
        return DescribedSystems.files();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("systems")
    void agreesWithTryingEverySet(Path file) {
        GpuTopology machine = GpuSystemFile.read(file).topology();
        for (int seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            PossibleSets sets = sets(random, machine);
            LinkDemand demand = new LinkDemand(random.nextBoolean(), random.nextInt(12));
            assertThat(LinkedChoice.of(machine.links(), sets, demand).orElseThrow())
                    .as("seed=%d %s %s", seed, sets, demand)
                    .satisfies(any -> {
                        List<GpuSet> possible = possible(machine.links(), sets);
                        long met = possible.stream()
                                .filter(set -> isMet(machine.links(), set, demand))
                                .count();
                        assertThat(any.verdict())
                                .isEqualTo(
                                        met == possible.size()
                                                ? LinkVerdict.WILL
                                                : met > 0 ? LinkVerdict.CAN : LinkVerdict.CANNOT);
                        assertThat(any.fewest())
                                .isEqualTo(possible.stream()
                                        .mapToLong(machine.links()::total)
                                        .min()
                                        .orElseThrow());
                        assertThat(any.only().isPresent()).isEqualTo(possible.size() == 1);
                    });
        }
    }

    /** Random free GPUs of random NUMA nodes; on some nodes it is unknown which of them are free. */
    private static PossibleSets sets(Random random, GpuTopology machine) {
        TreeSet<Integer> numaNodes = new TreeSet<>();
        machine.gpus().forEach(gpu -> gpu.numaNode().ifPresent(numaNodes::add));
        List<Group> groups = new ArrayList<>();
        for (int numaNode : numaNodes) {
            if (random.nextInt(4) > 0) {
                GpuSet free = GpuSet.of(machine.onNumaNodes(Set.of(numaNode))
                        .indexes()
                        .filter(any -> random.nextInt(4) > 0)
                        .toArray());
                groups.add(new Group(free, 0, free.size() - (free.size() > 1 ? random.nextInt(2) : 0)));
            }
        }
        int most = groups.stream().mapToInt(Group::most).sum();
        return new PossibleSets(groups, random.nextInt(most + 1));
    }

    private static List<GpuSet> possible(LinkMatrix links, PossibleSets sets) {
        return LongStream.range(0, 1L << links.size())
                .mapToObj(mask -> new GpuSet(mask, 0))
                .filter(set -> set.size() == sets.size() && sets.gpus().containsAll(set))
                .filter(set -> sets.groups().stream()
                        .allMatch(group -> set.and(group.gpus()).size() <= group.most()))
                .toList();
    }

    private static boolean isMet(LinkMatrix links, GpuSet set, LinkDemand demand) {
        int[] gpus = set.indexes().toArray();
        boolean linked = IntStream.of(gpus)
                .allMatch(first ->
                        IntStream.of(gpus).allMatch(second -> first == second || links.links(first, second) > 0));
        return links.total(set) >= demand.leastLinks() && (linked || !demand.everyPair());
    }
}
