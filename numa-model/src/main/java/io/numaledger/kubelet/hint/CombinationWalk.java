package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The kubelet's walk over every combination of one hint per list, with the comparisons in its order (cm/topologymanager/policy.go,
 * HintMerger.Merge). {@link HintMerger} has the same result without a walk; only an order that panics for some masks needs it. A
 * part of the walk that was walked before with the same best hint is skipped, because nothing new is compared there.
 */
final class CombinationWalk {

    /** The order of bitmask.IterateBitMasks: narrower first, between equals the one with the lowest id that the other lacks. */
    private static final Comparator<AffinityMask> NUMA_NODE_ORDER = Comparator.comparingInt(AffinityMask::count)
            .thenComparing((a, b) -> {
                long differing = a.bits() ^ b.bits();
                return Long.compare(b.bits() & Long.lowestOneBit(differing), a.bits() & Long.lowestOneBit(differing));
            });

    private record Position(
            int list,
            AffinityMask merged,
            Optional<AffinityMask> first,
            boolean preferred,
            Optional<TopologyHint> best) {}

    private final MaskOrder order;
    private final List<List<TopologyHint>> lists;
    private final int widthWanted;
    private final Set<Position> walked = new HashSet<>();
    private Optional<TopologyHint> best = Optional.empty();

    private CombinationWalk(MaskOrder order, List<List<TopologyHint>> lists, int widthWanted) {
        this.order = order;
        this.lists = lists;
        this.widthWanted = widthWanted;
    }

    /**
     * The best hint; empty when no combination has a NUMA node in common.
     *
     * @param widthWanted the largest of the lists' narrowest widths
     */
    static Optional<TopologyHint> best(
            AffinityMask machine, MaskOrder order, List<List<TopologyHint>> lists, int widthWanted) {
        CombinationWalk walk = new CombinationWalk(
                order, lists.stream().map(CombinationWalk::inOrder).toList(), widthWanted);
        walk.walk(0, machine, Optional.empty(), true);
        return walk.best;
    }

    private static List<TopologyHint> inOrder(List<TopologyHint> list) {
        return list.stream()
                .sorted(Comparator.comparing(hint -> hint.mask().orElse(AffinityMask.NONE), NUMA_NODE_ORDER))
                .toList();
    }

    private void walk(int index, AffinityMask merged, Optional<AffinityMask> first, boolean preferred) {
        if (merged.isEmpty() || !walked.add(new Position(index, merged, first, preferred, best))) {
            return;
        }
        if (index == lists.size()) {
            TopologyHint next = TopologyHint.of(merged, preferred);
            best = Optional.of(best.isEmpty() ? next : better(best.get(), next));
            return;
        }
        for (TopologyHint hint : lists.get(index)) {
            boolean sameMask =
                    hint.mask().isEmpty() || first.isEmpty() || hint.mask().equals(first);
            boolean stillPreferred = preferred && hint.preferred() && sameMask;
            walk(
                    index + 1,
                    hint.mask().map(merged::and).orElse(merged),
                    stillPreferred ? first.or(hint::mask) : Optional.empty(),
                    stillPreferred);
        }
    }

    /** HintMerger.compare. */
    private TopologyHint better(TopologyHint current, TopologyHint next) {
        if (current.preferred() != next.preferred()) {
            return current.preferred() ? current : next;
        }
        AffinityMask mask = current.mask().orElseThrow();
        int width = mask.count();
        int other = next.mask().orElseThrow().count();
        if (current.preferred() || width > widthWanted || width == other) {
            return order.better(mask, next.mask().orElseThrow()).equals(mask) ? current : next;
        }
        boolean keeps = width == widthWanted || other > widthWanted || other < width;
        return keeps ? current : next;
    }
}
