package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the best mask of a width without listing all masks: of NUMA nodes that are alike, the best mask has the lowest ids, so
 * that only their number matters. The steps are the product of the sizes of the classes at most, and few where amounts are
 * scarce or plentiful.
 */
final class MaskClassSearch {

    /**
     * The most steps in all searches together. Far more than machines with a few kinds of NUMA nodes need; takes at most half a second.
     */
    private static final int MOST_STEPS = 30_000;

    private final MaskOrder order;
    private final MaskSelection selection;
    /** Descending, so that the first mask found is the smallest number. */
    private final int[] ids;
    /** Position of an id → position of the nearest higher id that is alike; -1: none. */
    private final int[] alike;

    private Optional<AffinityMask> best = Optional.empty();
    private int steps;

    MaskClassSearch(MaskOrder order, MaskSelection selection, AffinityMask universe) {
        this.order = order;
        this.selection = selection;
        this.ids = universe.ids().map(id -> -id).sorted().map(id -> -id).toArray();
        this.alike = new int[ids.length];
        for (int position = 0; position < ids.length; position++) {
            alike[position] = position - 1;
            while (alike[position] >= 0 && !areAlike(ids[position], ids[alike[position]])) {
                alike[position]--;
            }
        }
    }

    private boolean areAlike(int numaNode, int other) {
        return order.treatsAlike(numaNode, other) && selection.treatsAlike(numaNode, other);
    }

    /** @throws TooManyMasksException where the NUMA nodes are too different from each other */
    Optional<AffinityMask> best(int width) {
        best = Optional.empty();
        long all = 0;
        for (int id : ids) {
            all |= 1L << id;
        }
        if (width <= ids.length) {
            walk(0, 0, all, width);
        }
        return best;
    }

    /** The first masks of a width in numeric order, also those that differ only in NUMA nodes that are alike. */
    List<AffinityMask> first(int width, int most) {
        List<AffinityMask> masks = new ArrayList<>();
        collect(0, 0, width, most, masks);
        return masks;
    }

    private void collect(int position, long chosen, int left, int most, List<AffinityMask> into) {
        long open = 0;
        for (int i = position; i < ids.length; i++) {
            open |= 1L << ids[i];
        }
        AffinityMask mask = new AffinityMask(chosen);
        if (into.size() >= most
                || ++steps > MOST_STEPS
                || ids.length - position < left
                || !selection.canComplete(mask, new AffinityMask(open), left)) {
            return;
        }
        if (left == 0) {
            if (selection.accepts(mask)) {
                into.add(mask);
            }
            return;
        }
        collect(position + 1, chosen, left, most, into);
        collect(position + 1, chosen | (1L << ids[position]), left - 1, most, into);
    }

    private void walk(int position, long chosen, long open, int left) {
        if (++steps > MOST_STEPS) {
            throw new TooManyMasksException(
                    "the NUMA nodes differ too much from each other: numaNodes=%d steps=%d; the kubelet's choice is not modelled"
                            .formatted(ids.length, MOST_STEPS));
        }
        boolean first = order.ordersByNumberOnly();
        if (Long.bitCount(open) < left
                || !selection.canComplete(new AffinityMask(chosen), new AffinityMask(open), left)) {
            return;
        }
        if (left == 0) {
            AffinityMask mask = new AffinityMask(chosen);
            if (selection.accepts(mask)) {
                best = Optional.of(best.map(other -> order.better(other, mask)).orElse(mask));
            }
            return;
        }
        long bit = 1L << ids[position];
        boolean higherIsChosen = alike[position] >= 0 && (chosen & (1L << ids[alike[position]])) != 0;
        if (!higherIsChosen) {
            walk(position + 1, chosen, open & ~bit, left);
        }
        if (!first || best.isEmpty()) {
            walk(position + 1, chosen | bit, open & ~bit, left - 1);
        }
    }
}
