package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The hints of one resource on a machine with many NUMA nodes: every mask out of some NUMA nodes that satisfies the conditions,
 * and a few more. The kubelet lists them all, which are up to 2⁶⁴.
 *
 * @param universe the NUMA nodes of the masks; none: only the listed hints
 * @param required NUMA nodes that each mask contains
 * @param preference which of the masks are preferred
 * @param listed hints besides; a mask may be among both, and then is as preferred here as there
 */
public record HintRule(
        AffinityMask universe,
        AffinityMask required,
        List<MaskCondition> conditions,
        MaskPreference preference,
        List<TopologyHint> listed) {

    public HintRule {
        conditions = List.copyOf(conditions);
        listed = List.copyOf(listed);
    }

    /** Exactly these hints. */
    public static HintRule listing(List<TopologyHint> hints) {
        return new HintRule(AffinityMask.NONE, AffinityMask.NONE, List.of(), MaskPreference.width(0), hints);
    }

    /** The width of the narrowest mask that satisfies the conditions; the width of all when none does. */
    public static int narrowest(AffinityMask universe, AffinityMask required, List<MaskCondition> conditions) {
        ConditionSelection selection = new ConditionSelection(required, conditions, List.of());
        MaskClassSearch search = new MaskClassSearch(MaskOrder.narrowest(), selection, universe);
        return IntStream.rangeClosed(1, universe.count())
                .filter(width -> search.best(width).isPresent())
                .findFirst()
                .orElse(universe.count());
    }

    public boolean isEmpty() {
        return listed.isEmpty() && !hasMasks();
    }

    /** Some mask satisfies the conditions. */
    boolean hasMasks() {
        return satisfies(universe);
    }

    private boolean satisfies(AffinityMask mask) {
        return !mask.isEmpty()
                && universe.containsAll(mask)
                && mask.containsAll(required)
                && conditions.stream().allMatch(condition -> condition.holds(mask));
    }

    /** The mask is among the preferred hints. */
    boolean prefers(AffinityMask mask) {
        return (satisfies(mask) && preference.prefers(mask)) || listed.contains(TopologyHint.of(mask, true));
    }

    /** The width of the narrowest hint; 0: none of them has a mask. */
    int narrowestWidth() {
        int own = hasMasks() ? narrowest(universe, required, conditions) : Integer.MAX_VALUE;
        int others = listed.stream()
                .flatMap(hint -> hint.mask().stream())
                .mapToInt(AffinityMask::count)
                .min()
                .orElse(Integer.MAX_VALUE);
        int width = Math.min(own, others);
        return width == Integer.MAX_VALUE ? 0 : width;
    }

    /** The best hint whose mask contains these NUMA nodes: preferred before others, then the narrowest, then the smaller number. */
    public Optional<TopologyHint> best(AffinityMask within) {
        Comparator<TopologyHint> order = Comparator.comparing((TopologyHint hint) -> !hint.preferred())
                .thenComparing(hint -> hint.mask().orElseThrow(), MaskOrder.narrowest());
        Stream<TopologyHint> others =
                listed.stream().filter(hint -> hint.mask().orElseThrow().containsAll(within));
        return Stream.concat(Stream.concat(first(within, true), first(within, false)), others)
                .min(order);
    }

    private Stream<TopologyHint> first(AffinityMask within, boolean preferred) {
        if (!hasMasks() || !universe.containsAll(within)) {
            return Stream.empty();
        }
        ConditionSelection selection =
                new ConditionSelection(required.or(within), conditions, preferred ? List.of(preference) : List.of());
        return narrowest(selection).map(mask -> TopologyHint.of(mask, preference.prefers(mask))).stream();
    }

    private Optional<AffinityMask> narrowest(ConditionSelection selection) {
        MaskClassSearch search = new MaskClassSearch(MaskOrder.narrowest(), selection, universe);
        return widths(selection.preferences())
                .mapToObj(search::best)
                .flatMap(Optional::stream)
                .findFirst();
    }

    private IntStream widths(List<MaskPreference> preferences) {
        return IntStream.rangeClosed(1, universe.count())
                .filter(width ->
                        preferences.stream().allMatch(each -> each.onlyWidth().orElse(width) == width));
    }

    /** The masks of preferred hints, at most so many: the narrowest first, then the smaller number. */
    public List<AffinityMask> preferredMasks(int most) {
        ConditionSelection selection = new ConditionSelection(required, conditions, List.of(preference));
        MaskClassSearch search = new MaskClassSearch(MaskOrder.narrowest(), selection, universe);
        Stream<AffinityMask> own = hasMasks()
                ? widths(selection.preferences()).boxed().flatMap(width -> search.first(width, most).stream())
                : Stream.empty();
        Stream<AffinityMask> others =
                listed.stream().filter(TopologyHint::preferred).flatMap(hint -> hint.mask().stream());
        return Stream.concat(own, others)
                .distinct()
                .sorted(MaskOrder.narrowest())
                .limit(most)
                .toList();
    }

    /** Some mask is a preferred hint of all these rules. */
    public static boolean preferOneMask(List<HintRule> rules) {
        AffinityMask any = new AffinityMask(-1L);
        return new HintRuleMerger(any, MaskOrder.narrowest()).preferred(rules).isPresent();
    }

    /** The hints that single-numa-node uses: preferred ones of one NUMA node, or without opinion. */
    public HintRule ofSingleNumaNodes() {
        Stream<TopologyHint> own = universe.ids()
                .mapToObj(AffinityMask::of)
                .filter(mask -> satisfies(mask) && preference.prefers(mask))
                .map(mask -> TopologyHint.of(mask, true));
        Stream<TopologyHint> others = listed.stream().filter(TopologyHint::isOfSingleNumaNode);
        return listing(Stream.concat(own, others).distinct().toList());
    }
}
