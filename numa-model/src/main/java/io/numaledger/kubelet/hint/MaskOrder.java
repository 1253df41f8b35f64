package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.Comparator;

/** The order of masks in a merge, before other criteria: the smaller mask wins. */
public interface MaskOrder extends Comparator<AffinityMask> {

    /** Narrower first, then the smaller number. */
    static MaskOrder narrowest() {
        return (a, b) -> {
            if (a.equals(b)) {
                return 0;
            }
            return a.isNarrowerThan(b) ? -1 : 1;
        };
    }

    /** Among masks of one width, the smaller number comes first. */
    default boolean ordersByNumberOnly() {
        return true;
    }

    /** The order of two masks stays the same when these two NUMA nodes change places in both, up to their numbers. */
    default boolean treatsAlike(int numaNode, int other) {
        return true;
    }

    /** Narrower first, then the smaller average distance, then the smaller number ({@code prefer-closest-numa-nodes}). */
    static MaskOrder closest(NumaDistances distances) {
        return new MaskOrder() {

            @Override
            public int compare(AffinityMask a, AffinityMask b) {
                if (a.equals(b) || a.count() != b.count()) {
                    return narrowest().compare(a, b);
                }
                int byDistance = Long.compare(distances.sum(a), distances.sum(b));
                return byDistance != 0 ? byDistance : Long.compareUnsigned(a.bits(), b.bits());
            }

            @Override
            public boolean ordersByNumberOnly() {
                return false;
            }

            @Override
            public boolean treatsAlike(int numaNode, int other) {
                return distances.areAlike(numaNode, other);
            }
        };
    }

    default AffinityMask better(AffinityMask a, AffinityMask b) {
        return compare(b, a) < 0 ? b : a;
    }
}
