package io.numaledger.fastpath;

/**
 * The search of {@link MaskSearch} over up to 64 zones. It leaves out the highest zones first, so that the first mask found is the
 * smallest number; skips what no choice of the lower zones can complete; and takes zones that are alike from the lowest on. Holds
 * scratch space: use one per thread.
 */
final class WideMaskSearch {

    /** The most steps, enough for zones of a few kinds; about 100 µs. */
    private static final int MOST_STEPS = 2_000;

    private final MaskSearch resources;
    /** {@code resource · 64 + k}: the zone with the k-th largest free amount. */
    private int[] largestFirst = new int[0];
    /** Zone → the nearest higher zone that is alike; -1: none. */
    private final int[] alike = new int[Long.SIZE];

    private long[] free = new long[0];
    private long required;
    private int zones;
    private int steps;

    WideMaskSearch(MaskSearch resources) {
        this.resources = resources;
    }

    boolean gaveUp() {
        return steps > MOST_STEPS;
    }

    /** The first mask that contains {@code required} and is part of {@code allowed}; 0 if there is none, or the search gave up. */
    long first(long[] free, int zones, int width, long allowed, long required) {
        long all = -1L >>> (Long.SIZE - zones);
        this.free = free;
        this.zones = zones;
        this.required = required;
        steps = 0;
        if (largestFirst.length < resources.count() * Long.SIZE) {
            largestFirst = new int[resources.count() * Long.SIZE];
        }
        for (int i = 0; i < resources.count(); i++) {
            sort(i);
        }
        if (!canComplete(0, allowed & all, width)) {
            return 0;
        }
        findAlike();
        return walk(0, allowed & all, width);
    }

    private void sort(int resource) {
        int into = resource * Long.SIZE;
        int start = resources.start(resource);
        for (int zone = 0; zone < zones; zone++) {
            int at = into + zone;
            while (at > into && free[start + largestFirst[at - 1]] < free[start + zone]) {
                largestFirst[at] = largestFirst[at - 1];
                at--;
            }
            largestFirst[at] = zone;
        }
    }

    private void findAlike() {
        for (int zone = 0; zone < zones; zone++) {
            int other = zone + 1;
            while (other < zones && !areAlike(zone, other)) {
                other++;
            }
            alike[zone] = other < zones ? other : -1;
        }
    }

    private boolean areAlike(int zone, int other) {
        if (((required >>> zone) & 1) != ((required >>> other) & 1) || !resources.areInOneSocket(zone, other)) {
            return false;
        }
        for (int i = 0; i < resources.count(); i++) {
            int start = resources.start(i);
            if (free[start + zone] != free[start + other]) {
                return false;
            }
        }
        return true;
    }

    private long walk(long chosen, long open, int left) {
        if (++steps > MOST_STEPS || !canComplete(chosen, open, left)) {
            return 0;
        }
        if (left == 0) {
            return resources.isInSockets(chosen) ? chosen : 0;
        }
        int zone = Long.SIZE - 1 - Long.numberOfLeadingZeros(open);
        long rest = open & ~(1L << zone);
        boolean higherIsChosen = alike[zone] >= 0 && ((chosen >>> alike[zone]) & 1) != 0;
        if (!higherIsChosen) {
            long without = walk(chosen, rest, left);
            if (without != 0) {
                return without;
            }
        }
        return walk(chosen | (1L << zone), rest, left - 1);
    }

    private boolean canComplete(long chosen, long open, int left) {
        long missing = required & ~chosen;
        if (Long.bitCount(open) < left || (missing & ~open) != 0 || Long.bitCount(missing) > left) {
            return false;
        }
        for (int i = 0; i < resources.count(); i++) {
            if (most(i, chosen, open, left) < resources.need(i)) {
                return false;
            }
        }
        return true;
    }

    /** What the chosen zones have, and the best {@code left} of the open ones. */
    private long most(int resource, long chosen, long open, int left) {
        int start = resources.start(resource);
        long sum = MaskSearch.sum(free, start, chosen);
        int from = resource * Long.SIZE;
        for (int k = 0, more = left; k < zones && more > 0; k++) {
            int zone = largestFirst[from + k];
            if (((open >>> zone) & 1) != 0) {
                sum += free[start + zone];
                more--;
            }
        }
        return sum;
    }
}
