package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** All non-empty sets out of some NUMA nodes, the narrowest first, between equals the smaller number first. */
public final class MaskUniverse {

    /** A million masks. On machines with more than a few NUMA nodes, hints are rules, see {@link HintRule}. */
    private static final int MAX_NODES = 20;

    private static final int MAX_KEPT = 9;

    private final AffinityMask all;
    /** All masks, up to the number of NUMA nodes at which hints become rules; empty beyond. */
    private final List<AffinityMask> masks;

    private MaskUniverse(AffinityMask all) {
        this.all = all;
        this.masks = all.count() <= MAX_KEPT ? subsets(all) : List.of();
    }

    private static List<AffinityMask> subsets(AffinityMask all) {
        List<AffinityMask> subsets = new ArrayList<>(1 << all.count());
        for (long bits = all.bits(); bits != 0; bits = (bits - 1) & all.bits()) {
            subsets.add(new AffinityMask(bits));
        }
        subsets.sort(Comparator.comparingInt(AffinityMask::count)
                .thenComparing((a, b) -> Long.compareUnsigned(a.bits(), b.bits())));
        return List.copyOf(subsets);
    }

    public static MaskUniverse of(AffinityMask all) {
        return new MaskUniverse(all);
    }

    public AffinityMask all() {
        return all;
    }

    public List<AffinityMask> masks() {
        if (all.count() > MAX_NODES) {
            throw new IllegalStateException(
                    "masks of more than %d NUMA nodes are not listed: numaNodes=%s; use a HintRule"
                            .formatted(MAX_NODES, all));
        }
        return all.count() <= MAX_KEPT ? masks : subsets(all);
    }

    /** The width of the narrowest mask that satisfies the test; the width of all nodes when none does. */
    public int narrowest(Predicate<AffinityMask> test) {
        for (AffinityMask mask : masks()) {
            if (test.test(mask)) {
                return mask.count();
            }
        }
        return all.count();
    }

    /** A hint for every mask that fits, preferred where the width is the wanted one. */
    public List<TopologyHint> hints(Predicate<AffinityMask> fits, int wantedWidth) {
        List<TopologyHint> hints = new ArrayList<>();
        for (AffinityMask mask : masks()) {
            if (fits.test(mask)) {
                hints.add(TopologyHint.of(mask, mask.count() == wantedWidth));
            }
        }
        return Collections.unmodifiableList(hints);
    }
}
