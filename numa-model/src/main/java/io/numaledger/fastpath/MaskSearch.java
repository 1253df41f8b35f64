package io.numaledger.fastpath;

import java.util.Arrays;

/**
 * Finds the first mask of a width, in numeric order, whose zones together have enough of every resource. With up to eight
 * zones, the sums of both halves are computed beforehand: each mask then costs one addition per resource, and a high half that
 * no low half can complete is skipped as a whole. With more zones see {@link WideMaskSearch}. Holds scratch space: use one per
 * thread.
 */
final class MaskSearch {

    private static final int HALF = 4;
    private static final int HALF_MASKS = 1 << HALF;
    private static final int MAX_HALVED = 2 * HALF;

    private long[] low = new long[HALF_MASKS];
    private long[] high = new long[HALF_MASKS];
    /** {@code index · 5 + k}: the most that k zones of the low half have together; no bound for a half of fewer zones. */
    private long[] lowTops = new long[HALF + 1];

    private int[] starts = new int[1];
    private long[] needs = new long[1];
    private int[] order = new int[1];
    private int count;
    private long[] sockets = NodeLayout.NO_SOCKETS;
    private int socketCount;
    private final WideMaskSearch wide = new WideMaskSearch(this);
    private boolean gaveUp;

    /** Some search since {@link #start} had too many different zones, so that its result means nothing. */
    boolean gaveUp() {
        return gaveUp;
    }

    /** Forgets whether an earlier search gave up. */
    void start() {
        gaveUp = false;
    }

    void clear() {
        count = 0;
        sockets = NodeLayout.NO_SOCKETS;
    }

    /**
     * Restricts the search to masks whose zones lie in exactly this many sockets.
     *
     * @param byZone the socket of each zone, as a bit; empty: no restriction
     */
    void limit(long[] byZone, int sockets) {
        this.sockets = byZone;
        this.socketCount = sockets;
    }

    /** The mask spans the required number of sockets. */
    boolean isInSockets(long mask) {
        if (sockets.length == 0) {
            return true;
        }
        long own = 0;
        for (long rest = mask; rest != 0; rest &= rest - 1) {
            own |= sockets[Long.numberOfTrailingZeros(rest)];
        }
        return Long.bitCount(own) == socketCount;
    }

    int count() {
        return count;
    }

    /** Where the row of a resource starts. */
    int start(int resource) {
        return starts[resource];
    }

    long need(int resource) {
        return needs[resource];
    }

    /** The zones are in the same socket, or sockets do not matter. */
    boolean areInOneSocket(int zone, int other) {
        return sockets.length == 0 || sockets[zone] == sockets[other];
    }

    /** Adds a resource whose row starts at {@code start} of the free amounts. */
    void add(int start, long need) {
        if (count == starts.length) {
            grow();
        }
        starts[count] = start;
        needs[count] = need;
        count++;
    }

    private void grow() {
        int size = 2 * starts.length;
        starts = Arrays.copyOf(starts, size);
        needs = Arrays.copyOf(needs, size);
        order = new int[size];
        low = new long[size * HALF_MASKS];
        high = new long[size * HALF_MASKS];
        lowTops = new long[size * (HALF + 1)];
    }

    /** The first mask that contains {@code required} and is part of {@code allowed}; 0 if there is none. */
    long first(long[] free, int zones, int width, long allowed, long required) {
        if (width == 1 && required == 0) {
            return single(free, zones, allowed);
        }
        if (zones <= MAX_HALVED) {
            return halved(free, zones, width, allowed, required);
        }
        long mask = wide.first(free, zones, width, allowed, required);
        gaveUp |= wide.gaveUp();
        return mask;
    }

    private long single(long[] free, int zones, long allowed) {
        for (int zone = 0; zone < zones; zone++) {
            if (((allowed >>> zone) & 1) != 0 && suffices(free, zone) && isInSockets(1L << zone)) {
                return 1L << zone;
            }
        }
        return 0;
    }

    private boolean suffices(long[] free, int zone) {
        for (int i = 0; i < count; i++) {
            if (free[starts[i] + zone] < needs[i]) {
                return false;
            }
        }
        return true;
    }

    private long halved(long[] free, int zones, int width, long allowed, long required) {
        for (int i = 0; i < count; i++) {
            order[i] = i;
            sums(low, i, free, starts[i], Math.min(HALF, zones));
            sums(high, i, free, starts[i] + HALF, Math.max(0, zones - HALF));
            tops(i, zones);
        }
        int highMasks = 1 << Math.max(0, zones - HALF);
        int lowMasks = 1 << Math.min(HALF, zones);
        for (int h = 0; h < highMasks; h++) {
            int rest = width - Integer.bitCount(h);
            if (rest < 0 || rest > HALF || !canReach(h, rest)) {
                continue;
            }
            for (int l = LOWEST[rest]; l < lowMasks && l >= 0; l = NEXT[l]) {
                long mask = ((long) h << HALF) | l;
                if (suffices(h, l) && (mask & ~allowed) == 0 && (required & ~mask) == 0 && isInSockets(mask)) {
                    return mask;
                }
            }
        }
        return 0;
    }

    private void tops(int index, int zones) {
        int from = index * HALF_MASKS;
        int into = index * (HALF + 1);
        if (zones < HALF) {
            Arrays.fill(lowTops, into, into + HALF + 1, Long.MAX_VALUE >> 1);
            return;
        }
        long all = low[from + 15];
        long one = Math.max(Math.max(low[from + 1], low[from + 2]), Math.max(low[from + 4], low[from + 8]));
        long least = Math.min(Math.min(low[from + 1], low[from + 2]), Math.min(low[from + 4], low[from + 8]));
        long withLast = Math.max(Math.max(low[from + 9], low[from + 10]), low[from + 12]);
        lowTops[into] = 0;
        lowTops[into + 1] = one;
        lowTops[into + 2] = Math.max(Math.max(low[from + 3], low[from + 5]), Math.max(low[from + 6], withLast));
        lowTops[into + 3] = all - least;
        lowTops[into + 4] = all;
    }

    /** For each resource taken alone, some low half with {@code rest} zones has enough. */
    private boolean canReach(int h, int rest) {
        for (int position = 0; position < count; position++) {
            int i = order[position];
            if (lowTops[i * (HALF + 1) + rest] + high[i * HALF_MASKS + h] < needs[i]) {
                order[position] = order[0];
                order[0] = i;
                return false;
            }
        }
        return true;
    }

    /** Checks the resource first that failed last: a resource that is short fails for most masks. */
    private boolean suffices(int h, int l) {
        for (int position = 0; position < count; position++) {
            int i = order[position];
            if (low[i * HALF_MASKS + l] + high[i * HALF_MASKS + h] < needs[i]) {
                order[position] = order[0];
                order[0] = i;
                return false;
            }
        }
        return true;
    }

    private static void sums(long[] into, int index, long[] free, int start, int zones) {
        int base = index * HALF_MASKS;
        if (zones == HALF) {
            sumsOfFour(into, base, free[start], free[start + 1], free[start + 2], free[start + 3]);
            return;
        }
        into[base] = 0;
        for (int zone = 0, size = 1; zone < zones; zone++, size <<= 1) {
            long own = free[start + zone];
            for (int mask = 0; mask < size; mask++) {
                into[base + size + mask] = into[base + mask] + own;
            }
        }
    }

    /** Sums of four zones without loops, which took half of the time of a search over eight zones. */
    private static void sumsOfFour(long[] into, int base, long a, long b, long c, long d) {
        long ab = a + b;
        long cd = c + d;
        into[base + 15] = ab + cd;
        into[base] = 0;
        into[base + 1] = a;
        into[base + 2] = b;
        into[base + 3] = ab;
        into[base + 4] = c;
        into[base + 5] = a + c;
        into[base + 6] = b + c;
        into[base + 7] = ab + c;
        into[base + 8] = d;
        into[base + 9] = a + d;
        into[base + 10] = b + d;
        into[base + 11] = ab + d;
        into[base + 12] = cd;
        into[base + 13] = a + cd;
        into[base + 14] = b + cd;
    }

    /** The lowest number of a half with so many bits. */
    private static final int[] LOWEST = {0, 1, 3, 7, 15};

    /** The next number of a half with as many bits; -1 at the end. */
    private static final int[] NEXT = next();

    private static int[] next() {
        int[] next = new int[HALF_MASKS];
        for (int mask = 0; mask < HALF_MASKS; mask++) {
            next[mask] = -1;
            for (int later = HALF_MASKS - 1; later > mask; later--) {
                if (Integer.bitCount(later) == Integer.bitCount(mask)) {
                    next[mask] = later;
                }
            }
        }
        return next;
    }

    /** Whether these zones together have enough of every resource, and lie in the required number of sockets. */
    boolean suffices(long[] free, long mask) {
        if (!isInSockets(mask)) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (sum(free, starts[i], mask) < needs[i]) {
                return false;
            }
        }
        return true;
    }

    static long sum(long[] amounts, int start, long mask) {
        long sum = 0;
        for (long rest = mask; rest != 0; rest &= rest - 1) {
            sum += amounts[start + Long.numberOfTrailingZeros(rest)];
        }
        return sum;
    }
}
