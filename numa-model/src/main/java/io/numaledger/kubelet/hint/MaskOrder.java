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

    /** Narrower first, then the smaller average distance, then the smaller number ({@code prefer-closest-numa-nodes}). */
    static MaskOrder closest(NumaDistances distances) {
        return (a, b) -> {
            if (a.equals(b) || a.count() != b.count()) {
                return narrowest().compare(a, b);
            }
            int byDistance = Long.compare(distances.sum(a), distances.sum(b));
            return byDistance != 0 ? byDistance : Long.compareUnsigned(a.bits(), b.bits());
        };
    }

    default AffinityMask better(AffinityMask a, AffinityMask b) {
        return compare(b, a) < 0 ? b : a;
    }
}
