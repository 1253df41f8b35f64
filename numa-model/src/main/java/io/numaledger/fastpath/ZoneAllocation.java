package io.numaledger.fastpath;

import io.numaledger.fastpath.CompiledPod.Request;

/** Subtracts the amounts of a request from zones, in the kubelet's order as far as it follows from amounts. */
final class ZoneAllocation {

    private ZoneAllocation() {}

    /**
     * Adds what the request takes of {@code free} to {@code into}: from the zones of the mask first, then from the others.
     *
     * @param mask 0: any zones
     * @param memoryMask the mask for memory
     */
    static void take(NodeLayout layout, Request request, long[] free, long mask, long memoryMask, long[] into) {
        long all = layout.allZones();
        for (int i = 0; i < request.resources.length; i++) {
            int row = layout.row(request.resources[i]);
            if (row >= 0) {
                boolean cpus = i >= request.memoryTypes && request.resources[i] == request.cpu();
                long own = i < request.memoryTypes ? memoryMask : mask;
                long first = own == FastPathEvaluator.NO_ZONES ? all : own;
                long rest = take(layout, row, free, first, request.needs[i], cpus, into);
                take(layout, row, free, all & ~first, rest, cpus, into);
            }
        }
    }

    private static long take(NodeLayout layout, int row, long[] free, long mask, long need, boolean cpus, long[] into) {
        int start = row * layout.zones;
        long rest = need;
        if (cpus) {
            rest = takeWholeZones(layout, start, free, mask, rest, into);
        }
        while (rest > 0) {
            int zone = cpus ? fullest(start, free, mask, into) : lowest(start, free, mask, into);
            if (zone < 0) {
                return rest;
            }
            long part = Math.min(rest, free[start + zone] - into[start + zone]);
            into[start + zone] += part;
            rest -= part;
        }
        return rest;
    }

    private static long takeWholeZones(NodeLayout layout, int start, long[] free, long mask, long need, long[] into) {
        long rest = need;
        for (long zones = mask; zones != 0; zones &= zones - 1) {
            int at = start + Long.numberOfTrailingZeros(zones);
            long size = free[at];
            if (size > 0 && size == layout.capacity[at] && into[at] == 0 && rest >= size) {
                into[at] = size;
                rest -= size;
            }
        }
        return rest;
    }

    private static int lowest(int start, long[] free, long mask, long[] into) {
        for (long zones = mask; zones != 0; zones &= zones - 1) {
            int zone = Long.numberOfTrailingZeros(zones);
            if (free[start + zone] > into[start + zone]) {
                return zone;
            }
        }
        return -1;
    }

    /** The zone with the least, but some, free. */
    private static int fullest(int start, long[] free, long mask, long[] into) {
        int best = -1;
        long least = Long.MAX_VALUE;
        for (long zones = mask; zones != 0; zones &= zones - 1) {
            int zone = Long.numberOfTrailingZeros(zones);
            long left = free[start + zone] - into[start + zone];
            if (left > 0 && left < least) {
                least = left;
                best = zone;
            }
        }
        return best;
    }
}
