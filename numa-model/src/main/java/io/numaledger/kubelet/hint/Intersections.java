package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The masks that are intersections of one hint from each of several lists. A list is folded in with the subset
 * transform: summed over supersets, two families multiply pointwise, and the inverse sum counts the ways to reach each
 * mask. That is n·2ⁿ steps for n NUMA nodes instead of the product of the lists' lengths.
 */
final class Intersections {

    private final int[] ids;
    private long[] reached;

    Intersections(AffinityMask machine) {
        this.ids = machine.ids().toArray();
        this.reached = new long[1 << ids.length];
        reached[reached.length - 1] = 1;
    }

    void with(List<TopologyHint> list) {
        long[] family = new long[reached.length];
        for (TopologyHint hint : list) {
            family[hint.mask().map(this::index).orElse(reached.length - 1)] = 1;
        }
        sumOverSupersets(reached, 1);
        sumOverSupersets(family, 1);
        for (int mask = 0; mask < family.length; mask++) {
            family[mask] *= reached[mask];
        }
        sumOverSupersets(family, -1);
        reached = Arrays.stream(family).map(count -> count == 0 ? 0 : 1).toArray();
    }

    /** All that is reached but the empty one. */
    List<AffinityMask> masks() {
        List<AffinityMask> masks = new ArrayList<>();
        for (int index = 1; index < reached.length; index++) {
            if (reached[index] != 0) {
                masks.add(mask(index));
            }
        }
        return masks;
    }

    private void sumOverSupersets(long[] values, int sign) {
        for (int bit = 1; bit < values.length; bit <<= 1) {
            for (int mask = 0; mask < values.length; mask++) {
                if ((mask & bit) == 0) {
                    values[mask] += sign * values[mask | bit];
                }
            }
        }
    }

    private int index(AffinityMask mask) {
        int index = 0;
        for (int position = 0; position < ids.length; position++) {
            if (mask.contains(ids[position])) {
                index |= 1 << position;
            }
        }
        return index;
    }

    private AffinityMask mask(int index) {
        long bits = 0;
        for (int position = 0; position < ids.length; position++) {
            if ((index & (1 << position)) != 0) {
                bits |= 1L << ids[position];
            }
        }
        return new AffinityMask(bits);
    }
}
