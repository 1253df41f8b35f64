package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

/** What a search for masks of one width looks for. */
interface MaskSelection {

    boolean accepts(AffinityMask mask);

    /**
     * False only where no accepted mask consists of {@code chosen} and {@code count} NUMA nodes of {@code open}.
     */
    boolean canComplete(AffinityMask chosen, AffinityMask open, int count);

    /** An accepted mask stays accepted when these two NUMA nodes change places. */
    boolean treatsAlike(int numaNode, int other);
}
