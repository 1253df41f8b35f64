package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

class HintMergerTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            both providers ask for the same node | 0+        | 0+         | 0+
            masks differ but overlap             | 0+        | 0,1+       | 0-
            nothing in common, so all nodes      | 0+        | 1+         | 0,1-
            no opinion leaves it to the other    | any+      | 1+         | 1+
            nobody has an opinion                | any+      | any+       | 0,1+
            a wish that cannot be met            | any-      | 0+         | 0-
            not preferred: as wide as needed     | 0- 0,1-   | 0,1+       | 0,1-
            the lower node wins                  | 1+ 0+     | 0+ 1+      | 0+
            """)
    void mergesTheHintsOfTwoProviders(String situation, String first, String second, String merged) {
        HintMerger merger = new HintMerger(AffinityMask.of(0, 1), MaskOrder.narrowest());

        assertThat(merger.merge(List.of(hints(first), hints(second))))
                .as(situation)
                .isEqualTo(hints(merged).get(0));
    }

    private static List<TopologyHint> hints(String text) {
        return Stream.of(text.split(" ")).map(HintMergerTest::hint).toList();
    }

    private static TopologyHint hint(String text) {
        String nodes = text.substring(0, text.length() - 1);
        boolean preferred = text.endsWith("+");
        return nodes.equals("any")
                ? new TopologyHint(Optional.empty(), preferred)
                : TopologyHint.of(AffinityMask.of(CpuSet.parse(nodes).toArray()), preferred);
    }

    static LongStream seeds() {
        return LongStream.range(0, 400);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTryingEveryCombination(long seed) {
        Random random = new Random(seed);
        AffinityMask machine = randomMachine(random);
        MaskOrder order =
                random.nextBoolean() ? MaskOrder.narrowest() : MaskOrder.closest(randomDistances(machine, random));
        List<List<TopologyHint>> lists = randomLists(machine, random);

        TopologyHint merged = new HintMerger(machine, order).merge(lists);

        assertThat(merged).isEqualTo(EveryCombination.merge(machine, order, lists));
    }

    /** Where the order fails for NUMA nodes with high ids, it fails exactly where the kubelet compares such masks. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void panicsWhereAComparisonOnTheWayPanics(long seed) {
        Random random = new Random(seed);
        AffinityMask machine = randomMachine(random);
        MaskOrder order = MaskOrder.closest(shortRows(machine));
        List<List<TopologyHint>> lists = randomLists(machine, random).stream()
                .map(HintMergerTest::inTheKubeletsOrder)
                .toList();

        String merged = outcome(() -> new HintMerger(machine, order, true).merge(lists));

        assertThat(merged).isEqualTo(outcome(() -> EveryCombination.merge(machine, order, lists)));
    }

    private static String outcome(Supplier<TopologyHint> merge) {
        try {
            return merge.get().toString();
        } catch (KubeletFailureException panic) {
            return "panic";
        }
    }

    private static List<TopologyHint> inTheKubeletsOrder(List<TopologyHint> list) {
        return list.stream()
                .sorted(Comparator.comparing((TopologyHint hint) ->
                                hint.mask().map(AffinityMask::count).orElse(0))
                        .thenComparing(
                                hint -> hint.mask().map(AffinityMask::toString).orElse("")))
                .toList();
    }

    /** As many columns as the machine has NUMA nodes. */
    private static NumaDistances shortRows(AffinityMask machine) {
        TreeMap<Integer, Integer> row = new TreeMap<>();
        machine.ids().forEach(id -> row.put(id, 10));
        List<NumaNode> nodes = machine.ids()
                .mapToObj(id -> new NumaNode(id, CpuSet.EMPTY, OptionalLong.empty(), new TreeMap<>(), row))
                .toList();
        return new NumaDistances(new MachineTopology(CpuSet.EMPTY, nodes, List.of()));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void doesNotDependOnTheOrderOfHintsOrLists(long seed) {
        Random random = new Random(seed);
        AffinityMask machine = randomMachine(random);
        List<List<TopologyHint>> lists = randomLists(machine, random);
        List<List<TopologyHint>> shuffled = new ArrayList<>();
        lists.forEach(list -> {
            List<TopologyHint> copy = new ArrayList<>(list);
            Collections.shuffle(copy, random);
            shuffled.add(copy);
        });
        Collections.shuffle(shuffled, random);
        HintMerger merger = new HintMerger(machine, MaskOrder.narrowest());

        assertThat(merger.merge(shuffled)).isEqualTo(merger.merge(lists));
    }

    /** Up to five NUMA nodes, with holes between their ids. */
    private static AffinityMask randomMachine(Random random) {
        AffinityMask machine = AffinityMask.NONE;
        while (machine.count() < 1 + random.nextInt(5)) {
            machine = machine.or(AffinityMask.of(random.nextInt(9)));
        }
        return machine;
    }

    private static NumaDistances randomDistances(AffinityMask machine, Random random) {
        List<NumaNode> nodes = new ArrayList<>();
        for (int id = 0; id < 9; id++) {
            TreeMap<Integer, Integer> row = new TreeMap<>();
            for (int to = 0; to < 9; to++) {
                row.put(to, to == id ? 10 : 11 + random.nextInt(3));
            }
            nodes.add(new NumaNode(id, CpuSet.EMPTY, OptionalLong.empty(), new TreeMap<>(), row));
        }
        assertThat(machine.count()).isPositive();
        return new NumaDistances(new MachineTopology(CpuSet.EMPTY, nodes, List.of()));
    }

    private static List<List<TopologyHint>> randomLists(AffinityMask machine, Random random) {
        List<List<TopologyHint>> lists = new ArrayList<>();
        List<AffinityMask> masks = MaskUniverse.of(machine).masks();
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            List<TopologyHint> list = new ArrayList<>();
            int length = random.nextInt(6);
            for (int j = 0; j < length; j++) {
                boolean opinion = random.nextInt(6) > 0;
                boolean preferred = random.nextInt(3) == 0;
                AffinityMask mask = masks.get(random.nextInt(masks.size()));
                list.add(new TopologyHint(opinion ? Optional.of(mask) : Optional.empty(), preferred));
            }
            lists.add(list);
        }
        return lists;
    }
}
