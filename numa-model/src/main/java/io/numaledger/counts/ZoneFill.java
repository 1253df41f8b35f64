package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;

/** Takes what a wish asks for from zones, as far as the kubelet's order is known from counts. */
final class ZoneFill {

    private ZoneFill() {}

    /**
     * Adds to {@code into} what the wish takes of {@code free}: from the zones of the mask first, then from the others.
     *
     * @param memoryMask the same for memory
     */
    static void fill(NodeShape shape, Wish wish, long[] free, long mask, long memoryMask, long[] into) {
        long all = -1L >>> (Long.SIZE - shape.zones);
        for (int i = 0; i < wish.resources.length; i++) {
            int row = shape.row(wish.resources[i]);
            if (row >= 0) {
                boolean cpus = i >= wish.memoryTypes && wish.resources[i] == wish.cpu();
                long own = i < wish.memoryTypes ? memoryMask : mask;
                long first = own <= 0 ? all : own;
                long rest = take(shape, row, free, first, wish.needs[i], cpus, into);
                take(shape, row, free, all & ~first, rest, cpus, into);
            }
        }
    }

    private static long take(NodeShape shape, int row, long[] free, long mask, long need, boolean cpus, long[] into) {
        int start = row * shape.zones;
        long rest = need;
        if (cpus) {
            rest = takeWholeZones(shape, start, free, mask, rest, into);
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

    private static long takeWholeZones(NodeShape shape, int start, long[] free, long mask, long need, long[] into) {
        long rest = need;
        for (long zones = mask; zones != 0; zones &= zones - 1) {
            int at = start + Long.numberOfTrailingZeros(zones);
            long size = free[at];
            if (size > 0 && size == shape.base[at] && into[at] == 0 && rest >= size) {
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
