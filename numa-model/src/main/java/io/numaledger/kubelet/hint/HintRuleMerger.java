package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Merges hints that are given as rules. The outcome is that of {@link HintMerger} on all masks that the rules describe, in steps
 * that depend on how many kinds of NUMA nodes there are instead of on 2ⁿ.
 */
public final class HintRuleMerger {

    private final AffinityMask machine;
    private final MaskOrder order;

    public HintRuleMerger(AffinityMask machine, MaskOrder order) {
        this.machine = machine;
        this.order = order;
    }

    AffinityMask machine() {
        return machine;
    }

    MaskOrder order() {
        return order;
    }

    /**
     * The merged hint of a non-empty number of rules. Its mask is always there.
     *
     * @throws TooManyMasksException where the NUMA nodes are too different from each other
     */
    public TopologyHint merge(List<HintRule> rules) {
        return preferred(rules)
                .map(mask -> TopologyHint.of(mask, true))
                .or(() -> intersection(rules).map(mask -> TopologyHint.of(mask, false)))
                .orElse(TopologyHint.of(machine, false));
    }

    private Optional<AffinityMask> best(Stream<AffinityMask> masks) {
        return masks.reduce(order::better);
    }

    /** The best mask that is a preferred hint of every rule. */
    Optional<AffinityMask> preferred(List<HintRule> rules) {
        List<HintRule> strict = rules.stream()
                .filter(rule -> !rule.listed().contains(TopologyHint.ANY))
                .toList();
        if (strict.isEmpty()) {
            Stream<AffinityMask> optional = rules.stream()
                    .flatMap(HintRuleMerger::listedPreferred)
                    .map(machine::and)
                    .filter(mask -> !mask.isEmpty());
            return best(Stream.concat(Stream.of(machine), optional));
        }
        Stream<AffinityMask> listed = strict.stream()
                .flatMap(HintRuleMerger::listedPreferred)
                .filter(mask -> strict.stream().allMatch(rule -> rule.prefers(mask)))
                .map(machine::and)
                .filter(mask -> !mask.isEmpty());
        return best(Stream.concat(common(strict).stream(), listed));
    }

    private static Stream<AffinityMask> listedPreferred(HintRule rule) {
        return rule.listed().stream().filter(TopologyHint::preferred).flatMap(hint -> hint.mask().stream());
    }

    /** The best mask that satisfies the conditions and preferences of all rules. */
    private Optional<AffinityMask> common(List<HintRule> rules) {
        AffinityMask universe = universe(machine, rules);
        AffinityMask required = rules.stream().map(HintRule::required).reduce(AffinityMask.NONE, AffinityMask::or);
        if (universe.isEmpty() || !universe.containsAll(required)) {
            return Optional.empty();
        }
        ConditionSelection selection = new ConditionSelection(
                required,
                rules.stream().flatMap(rule -> rule.conditions().stream()).toList(),
                rules.stream().map(HintRule::preference).toList());
        MaskClassSearch search = new MaskClassSearch(order, selection, universe);
        return IntStream.rangeClosed(1, universe.count())
                .filter(width -> rules.stream()
                        .allMatch(rule -> rule.preference().onlyWidth().orElse(width) == width))
                .mapToObj(search::best)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static AffinityMask universe(AffinityMask within, List<HintRule> rules) {
        return rules.stream().map(HintRule::universe).reduce(within, AffinityMask::and);
    }

    /**
     * One way to take a hint of each rule.
     *
     * @param listed the intersection of the hints that are listed
     * @param rules the rules of which a mask is taken that satisfies the conditions, as bits by position
     */
    private record Combination(AffinityMask listed, long rules) {}

    private Optional<AffinityMask> intersection(List<HintRule> rules) {
        int wanted = rules.stream().mapToInt(HintRule::narrowestWidth).max().orElse(0);
        List<AffinityMask> reached = new ArrayList<>();
        for (Combination combination : combinations(rules)) {
            List<HintRule> chosen = IntStream.range(0, rules.size())
                    .filter(index -> (combination.rules() & (1L << index)) != 0)
                    .mapToObj(rules::get)
                    .toList();
            reach(universe(combination.listed(), chosen), chosen, wanted).ifPresent(reached::add);
        }
        OptionalInt widest = reached.stream()
                .mapToInt(AffinityMask::count)
                .filter(width -> width <= wanted)
                .max();
        return best(reached.stream().filter(mask -> widest.isEmpty() || mask.count() == widest.getAsInt()));
    }

    private Set<Combination> combinations(List<HintRule> rules) {
        Set<Combination> combinations = new LinkedHashSet<>(List.of(new Combination(machine, 0)));
        for (int index = 0; index < rules.size(); index++) {
            Set<Combination> more = new LinkedHashSet<>();
            for (Combination so : combinations) {
                HintRule rule = rules.get(index);
                if (rule.hasMasks()) {
                    more.add(new Combination(so.listed(), so.rules() | (1L << index)));
                }
                rule.listed().stream()
                        .map(hint -> hint.mask().map(so.listed()::and).orElse(so.listed()))
                        .filter(mask -> !mask.isEmpty())
                        .forEach(mask -> more.add(new Combination(mask, so.rules())));
            }
            combinations = more;
        }
        return combinations;
    }

    /**
     * The best intersection of one mask per rule. All masks between a reached one and the universe are reached too, so that there
     * is one of each width from the narrowest on.
     */
    private Optional<AffinityMask> reach(AffinityMask universe, List<HintRule> rules, int wanted) {
        if (universe.isEmpty()) {
            return Optional.empty();
        }
        MaskClassSearch search = new MaskClassSearch(order, new ExclusionSelection(universe, rules), universe);
        return IntStream.range(Math.max(1, wanted), universe.count())
                .mapToObj(search::best)
                .flatMap(Optional::stream)
                .findFirst()
                .or(() -> Optional.of(universe));
    }
}
