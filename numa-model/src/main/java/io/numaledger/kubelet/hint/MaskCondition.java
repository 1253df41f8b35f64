package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

/** Something that a mask must have enough of. A mask that satisfies it still does with more NUMA nodes. */
public interface MaskCondition {

    boolean holds(AffinityMask mask);

    /** False only where {@code chosen} and any {@code count} NUMA nodes of {@code open} do not satisfy it. */
    boolean canHold(AffinityMask chosen, AffinityMask open, int count);

    /** The result is the same with and without this NUMA node. */
    boolean ignores(int numaNode);

    /** The result stays the same when these two NUMA nodes change places. */
    boolean treatsAlike(int numaNode, int other);

    /** At least as many NUMA nodes as can be left out of a mask together; at most {@code open}. */
    int mostWithout(AffinityMask mask, AffinityMask open);
}
