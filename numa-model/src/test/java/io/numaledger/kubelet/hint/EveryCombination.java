package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.Optional;

/** The slow twin of {@link HintMerger}: the kubelet's walk over every combination of one hint per list, as it is written there. */
final class EveryCombination {

    private final MaskOrder order;
    private final int widestNarrowest;
    private Optional<TopologyHint> best = Optional.empty();

    private EveryCombination(MaskOrder order, List<List<TopologyHint>> lists) {
        this.order = order;
        this.widestNarrowest = lists.stream()
                .mapToInt(list -> list.stream()
                        .flatMap(hint -> hint.mask().stream())
                        .mapToInt(AffinityMask::count)
                        .min()
                        .orElse(0))
                .max()
                .orElse(0);
    }

    static TopologyHint merge(AffinityMask machine, MaskOrder order, List<List<TopologyHint>> lists) {
        EveryCombination walk = new EveryCombination(order, lists);
        walk.walk(lists, 0, machine, Optional.empty(), true);
        return walk.best.orElse(TopologyHint.of(machine, false));
    }

    private void walk(
            List<List<TopologyHint>> lists,
            int index,
            AffinityMask merged,
            Optional<AffinityMask> firstMask,
            boolean preferred) {
        if (index == lists.size()) {
            if (!merged.isEmpty()) {
                consider(TopologyHint.of(merged, preferred));
            }
            return;
        }
        for (TopologyHint hint : lists.get(index)) {
            boolean sameMask =
                    hint.mask().isEmpty() || firstMask.isEmpty() || hint.mask().equals(firstMask);
            walk(
                    lists,
                    index + 1,
                    hint.mask().map(merged::and).orElse(merged),
                    firstMask.or(hint::mask),
                    preferred && hint.preferred() && sameMask);
        }
    }

    private void consider(TopologyHint next) {
        if (best.isEmpty()) {
            best = Optional.of(next);
        } else {
            best = Optional.of(better(best.get(), next));
        }
    }

    private TopologyHint better(TopologyHint current, TopologyHint next) {
        if (current.preferred() != next.preferred()) {
            return current.preferred() ? current : next;
        }
        AffinityMask c = current.mask().orElseThrow();
        AffinityMask d = next.mask().orElseThrow();
        boolean fit = current.preferred()
                || c.count() > widestNarrowest
                || (c.count() == widestNarrowest && d.count() == widestNarrowest)
                || (c.count() < widestNarrowest && d.count() == c.count());
        if (fit) {
            return order.better(c, d).equals(c) ? current : next;
        }
        if (c.count() == widestNarrowest || d.count() > widestNarrowest) {
            return current;
        }
        return d.count() == widestNarrowest || d.count() > c.count() ? next : current;
    }
}
