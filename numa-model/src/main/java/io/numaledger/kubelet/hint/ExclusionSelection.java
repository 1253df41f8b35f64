package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.Arrays;
import java.util.List;

/**
 * The masks that are intersections of one mask per rule. Such a mask is reached when each NUMA node outside it is left out by
 * at least one rule whose conditions allow that. This is a packing of NUMA nodes into what the rules can spare.
 */
final class ExclusionSelection implements MaskSelection {

    /** The most steps in all packings together, which take at most a tenth of a second. */
    private static final int MOST_STEPS = 100_000;

    private final AffinityMask universe;
    private final List<HintRule> rules;
    private int steps;

    /** @param universe NUMA nodes that are in the universe of every rule */
    ExclusionSelection(AffinityMask universe, List<HintRule> rules) {
        this.universe = universe;
        this.rules = rules;
    }

    @Override
    public boolean accepts(AffinityMask mask) {
        return canExclude(universe.bits() & ~mask.bits());
    }

    @Override
    public boolean canComplete(AffinityMask chosen, AffinityMask open, int count) {
        return canExclude(universe.bits() & ~chosen.bits() & ~open.bits());
    }

    @Override
    public boolean treatsAlike(int numaNode, int other) {
        return rules.stream().allMatch(rule -> treatsAlike(rule, numaNode, other));
    }

    private static boolean treatsAlike(HintRule rule, int numaNode, int other) {
        return rule.required().contains(numaNode) == rule.required().contains(other)
                && rule.conditions().stream().allMatch(condition -> condition.treatsAlike(numaNode, other));
    }

    private boolean canExclude(long excluded) {
        int[] costly = new AffinityMask(excluded)
                .ids()
                .filter(id -> rules.stream().noneMatch(rule -> spares(rule, id)))
                .toArray();
        return costly.length == 0 || new Packing(costly).fits();
    }

    /** The rule's conditions do not depend on the NUMA node. */
    private static boolean spares(HintRule rule, int id) {
        return !rule.required().contains(id) && rule.conditions().stream().allMatch(condition -> condition.ignores(id));
    }

    /** Distributes the NUMA nodes that cost every rule something. */
    private final class Packing {

        private final int[] ids;
        /** Rule → its mask so far. */
        private final long[] masks;
        /** Position → whether the next NUMA node is alike, and is left out by the same rule or a later one. */
        private final boolean[] likeLast;

        Packing(int[] excluded) {
            this.ids = ordered(excluded);
            this.masks =
                    rules.stream().mapToLong(rule -> rule.universe().bits()).toArray();
            this.likeLast = new boolean[ids.length];
            for (int i = 1; i < ids.length; i++) {
                likeLast[i] = treatsAlike(ids[i - 1], ids[i]);
            }
        }

        /** NUMA nodes that are alike come one after the other. */
        private int[] ordered(int[] excluded) {
            int[] rest = excluded.clone();
            int[] order = new int[excluded.length];
            int count = 0;
            while (rest.length > 0) {
                int first = rest[0];
                int[] like = Arrays.stream(rest)
                        .filter(id -> id == first || treatsAlike(first, id))
                        .toArray();
                System.arraycopy(like, 0, order, count, like.length);
                count += like.length;
                rest = Arrays.stream(rest)
                        .filter(id -> id != first && !treatsAlike(first, id))
                        .toArray();
            }
            return order;
        }

        boolean fits() {
            AffinityMask all = AffinityMask.of(ids);
            int most = 0;
            for (int i = 0; i < rules.size() && most < ids.length; i++) {
                AffinityMask mask = new AffinityMask(masks[i]);
                most += rules.get(i).conditions().stream()
                        .mapToInt(condition -> condition.mostWithout(mask, all))
                        .min()
                        .orElse(ids.length);
            }
            return most >= ids.length && place(0, 0);
        }

        private boolean place(int position, int from) {
            if (position == ids.length) {
                return true;
            }
            if (++steps > MOST_STEPS) {
                throw new TooManyMasksException(
                        "the NUMA nodes differ too much from each other: numaNodes=%d steps=%d; the kubelet's choice is not modelled"
                                .formatted(universe.count(), MOST_STEPS));
            }
            long bit = 1L << ids[position];
            for (int rule = likeLast[position] ? from : 0; rule < masks.length; rule++) {
                if (canLeaveOut(rule, bit)) {
                    masks[rule] &= ~bit;
                    if (place(position + 1, rule)) {
                        return true;
                    }
                    masks[rule] |= bit;
                }
            }
            return false;
        }

        private boolean canLeaveOut(int index, long bit) {
            HintRule rule = rules.get(index);
            AffinityMask without = new AffinityMask(masks[index] & ~bit);
            return (rule.required().bits() & bit) == 0
                    && rule.conditions().stream().allMatch(condition -> condition.holds(without));
        }
    }
}
