package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/** All non-empty sets out of some NUMA nodes, the narrowest first, between equals the smaller number first. */
public final class MaskUniverse {

    /** A million masks: beyond this the kubelet, which walks them all for every hint, would not answer either. */
    public static final int MAX_NODES = 20;

    private final AffinityMask all;
    private final List<AffinityMask> masks;

    private MaskUniverse(AffinityMask all) {
        this.all = all;
        this.masks = all.count() > MAX_NODES ? List.of() : subsets(all);
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

    /** It can be created for more than {@link #MAX_NODES} nodes, but not used. */
    public static MaskUniverse of(AffinityMask all) {
        return new MaskUniverse(all);
    }

    public AffinityMask all() {
        return all;
    }

    public List<AffinityMask> masks() {
        if (all.count() > MAX_NODES) {
            throw new IllegalStateException(
                    "hints over more than %d NUMA nodes are not modelled: numaNodes=%s; ask first"
                            .formatted(MAX_NODES, all));
        }
        return masks;
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
