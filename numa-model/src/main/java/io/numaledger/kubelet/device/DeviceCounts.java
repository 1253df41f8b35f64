package io.numaledger.kubelet.device;

import io.numaledger.topology.AffinityMask;

/**
 * How many of some devices have which NUMA nodes, in a layout for queries by mask.
 *
 * @param nodes all different; those without topology are left out
 * @param devices how many, in the same order
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record DeviceCounts(long[] nodes, int[] devices) {

    /** How many have a NUMA node in the mask. */
    int touching(AffinityMask mask) {
        int sum = 0;
        for (int i = 0; i < nodes.length; i++) {
            sum += (nodes[i] & mask.bits()) == 0 ? 0 : devices[i];
        }
        return sum;
    }

    /** Each of them has a NUMA node in the mask. */
    boolean allTouch(AffinityMask mask) {
        for (int i = 0; i < nodes.length; i++) {
            if (devices[i] > 0 && (nodes[i] & mask.bits()) == 0) {
                return false;
            }
        }
        return true;
    }
}
