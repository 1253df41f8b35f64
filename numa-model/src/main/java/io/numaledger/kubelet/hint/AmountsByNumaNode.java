package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

/** Amounts by NUMA node id, to be summed over many masks. */
public final class AmountsByNumaNode {

    private final long[] byId = new long[AffinityMask.MAX_ID + 1];

    public void put(int id, long amount) {
        byId[id] = amount;
    }

    public long of(int id) {
        return byId[id];
    }

    /** The sum; it may wrap around, as the kubelet's does. */
    public long over(AffinityMask mask) {
        long sum = 0;
        for (long rest = mask.bits(); rest != 0; rest &= rest - 1) {
            sum += byId[Long.numberOfTrailingZeros(rest)];
        }
        return sum;
    }
}
