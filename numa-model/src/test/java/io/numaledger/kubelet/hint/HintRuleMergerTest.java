package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Random rules over up to 16 NUMA nodes, against {@link HintMerger} on all masks that the rules describe. */
class HintRuleMergerTest {

    static LongStream seeds() {
        return LongStream.range(0, 1500);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithListingAllMasks(long seed) {
        compare(new Random(seed), 1, 12);
    }

    static LongStream fewSeeds() {
        return LongStream.range(0, 60);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("fewSeeds")
    void agreesWithListingAllMasksOf16NumaNodes(long seed) {
        compare(new Random(seed), 13, 16);
    }

    private static void compare(Random random, int fewest, int most) {
        AffinityMask machine = randomMask(random, fewest + random.nextInt(most - fewest + 1), 16);
        MaskOrder order = random.nextInt(3) > 0 ? MaskOrder.narrowest() : MaskOrder.closest(randomDistances(random));
        List<HintRule> rules = new ArrayList<>();
        for (int i = 1 + random.nextInt(4); i > 0; i--) {
            rules.add(randomRule(machine, random));
        }

        TopologyHint merged = new HintRuleMerger(machine, order).merge(rules);

        List<List<TopologyHint>> lists =
                rules.stream().map(HintRuleMergerTest::allHints).toList();
        assertThat(merged).isEqualTo(new HintMerger(machine, order).merge(lists));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void findsTheBestHintThatContainsAMask(long seed) {
        Random random = new Random(seed);
        AffinityMask machine = randomMask(random, 1 + random.nextInt(10), 16);
        HintRule rule = randomRule(machine, random);
        if (rule.listed().stream().anyMatch(hint -> hint.mask().isEmpty())) {
            return;
        }
        AffinityMask within = random.nextBoolean() ? AffinityMask.NONE : randomPart(machine, random);

        assertThat(rule.best(within)).isEqualTo(HintRule.listing(allHints(rule)).best(within));
    }

    static List<TopologyHint> allHints(HintRule rule) {
        List<TopologyHint> hints = new ArrayList<>(rule.listed());
        if (!rule.universe().isEmpty()) {
            for (AffinityMask mask : MaskUniverse.of(rule.universe()).masks()) {
                boolean fits = mask.containsAll(rule.required())
                        && rule.conditions().stream().allMatch(condition -> condition.holds(mask));
                if (fits) {
                    hints.add(TopologyHint.of(mask, rule.preference().prefers(mask)));
                }
            }
        }
        return hints;
    }

    private static AffinityMask randomMask(Random random, int count, int end) {
        AffinityMask mask = AffinityMask.NONE;
        while (mask.count() < count) {
            mask = mask.or(AffinityMask.of(random.nextInt(end)));
        }
        return mask;
    }

    private static AffinityMask randomPart(AffinityMask mask, Random random) {
        AffinityMask part = AffinityMask.NONE;
        while (part.isEmpty()) {
            part = new AffinityMask(mask.bits() & random.nextLong());
        }
        return part;
    }

    /** Few different distances, so that some NUMA nodes are alike. */
    private static NumaDistances randomDistances(Random random) {
        int kinds = 1 + random.nextInt(3);
        List<NumaNode> nodes = new ArrayList<>();
        for (int id = 0; id < 16; id++) {
            TreeMap<Integer, Integer> row = new TreeMap<>();
            for (int to = 0; to < 16; to++) {
                row.put(to, to == id ? 10 : 20 + (id % kinds) * (to % kinds));
            }
            nodes.add(new NumaNode(id, CpuSet.EMPTY, OptionalLong.empty(), new TreeMap<>(), row));
        }
        return new NumaDistances(new MachineTopology(CpuSet.EMPTY, nodes, List.of()));
    }

    private static HintRule randomRule(AffinityMask machine, Random random) {
        List<TopologyHint> listed = new ArrayList<>();
        boolean onlyListed = random.nextInt(8) == 0;
        for (int i = onlyListed || random.nextInt(3) == 0 ? random.nextInt(3) : 0; i > 0; i--) {
            listed.add(TopologyHint.of(randomPart(machine, random), random.nextBoolean()));
        }
        if (onlyListed) {
            return HintRule.listing(
                    listed.isEmpty() ? List.of(random.nextBoolean() ? TopologyHint.ANY : TopologyHint.NONE) : listed);
        }
        AffinityMask universe = random.nextInt(3) == 0 ? randomPart(machine, random) : machine;
        AffinityMask required = random.nextInt(5) == 0
                ? AffinityMask.of(randomPart(universe, random).ids().findFirst().orElseThrow())
                : AffinityMask.NONE;
        List<MaskCondition> capacity = new ArrayList<>();
        List<MaskCondition> free = new ArrayList<>();
        for (int i = 1 + random.nextInt(2); i > 0; i--) {
            addAmounts(universe, random, capacity, free);
        }
        HintRule rule = new HintRule(
                universe,
                required,
                free,
                MaskPreference.width(HintRule.narrowest(universe, AffinityMask.NONE, capacity)),
                listed);
        return rule.isEmpty() ? HintRule.listing(List.of(TopologyHint.NONE)) : rule;
    }

    private static void addAmounts(
            AffinityMask universe, Random random, List<MaskCondition> capacity, List<MaskCondition> free) {
        AmountsByNumaNode all = new AmountsByNumaNode();
        AmountsByNumaNode left = new AmountsByNumaNode();
        int kinds = 1 + random.nextInt(6);
        int sum = 0;
        for (int id : universe.ids().toArray()) {
            int amount = id % 3 == 0 ? random.nextInt(kinds) : 0;
            if (random.nextInt(3) == 0) {
                amount = kinds;
            }
            all.put(id, amount);
            left.put(id, random.nextInt(3) == 0 ? random.nextInt(amount + 1) : amount);
            sum += amount;
        }
        int need = random.nextInt((random.nextInt(4) == 0 ? sum : sum / 3) + 2);
        capacity.add(new AmountCondition(universe, all, need));
        free.add(new AmountCondition(universe, left, need));
    }
}
