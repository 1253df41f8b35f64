package io.numaledger.kubelet.device;

import io.numaledger.topology.AffinityMask;

import java.util.Arrays;

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

    /** The sum with counts of the same resource. */
    DeviceCounts plus(DeviceCounts other) {
        int[] sum = devices.clone();
        Arrays.setAll(sum, i -> devices[i] + other.devices[i]);
        return new DeviceCounts(nodes, sum);
    }

    /** The result of {@link #touching} stays the same when these two NUMA nodes change places. */
    boolean treatsAlike(int numaNode, int other) {
        for (int i = 0; i < nodes.length; i++) {
            if (devices[i] != devicesOf(swapped(nodes[i], numaNode, other))) {
                return false;
            }
        }
        return true;
    }

    private int devicesOf(long mask) {
        for (int i = 0; i < nodes.length; i++) {
            if (nodes[i] == mask) {
                return devices[i];
            }
        }
        return 0;
    }

    private static long swapped(long mask, int numaNode, int other) {
        boolean differ = ((mask >>> numaNode) & 1) != ((mask >>> other) & 1);
        return differ ? mask ^ (1L << numaNode) ^ (1L << other) : mask;
    }

    /** Whether each device has a NUMA node in the mask. */
    boolean allTouch(AffinityMask mask) {
        for (int i = 0; i < nodes.length; i++) {
            if (devices[i] > 0 && (nodes[i] & mask.bits()) == 0) {
                return false;
            }
        }
        return true;
    }
}
