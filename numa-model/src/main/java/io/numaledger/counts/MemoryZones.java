package io.numaledger.counts;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * From which zones memory can come: one zone that is in no group, several that nobody uses, or exactly a group as it is
 * (cm/memorymanager/policy_static.go, calculateHints). Zones are bits, by position.
 */
final class MemoryZones {

    /** Nothing is held. */
    static final MemoryZones UNUSED = new MemoryZones(-1L, 0);

    /** Up to eight zones and no group, by what is unused: shared, since most nodes are so, and a call looks at all of them. */
    private static final MemoryZones[] UNGROUPED = LongStream.range(0, 1 << 8)
            .mapToObj(unused -> new MemoryZones(unused, 0))
            .toArray(MemoryZones[]::new);

    /** Zones on which no memory is held. */
    private final long unused;
    /** Zones that are in a group. */
    private final long grouped;

    /** Groups whose members are in no other one, nor used alone. */
    private final long[] groups;

    static MemoryZones of(long unused, long grouped, long... groups) {
        return grouped == 0 && unused >>> 8 == 0 ? UNGROUPED[(int) unused] : new MemoryZones(unused, grouped, groups);
    }

    private MemoryZones(long unused, long grouped, long... groups) {
        this.unused = unused;
        this.grouped = grouped;
        this.groups = groups;
    }

    /** After memory was taken from a zone by itself. */
    MemoryZones with(long zone) {
        if ((unused & zone) == 0) {
            return this;
        }
        long[] left = Arrays.stream(groups).filter(group -> (group & zone) == 0).toArray();
        return new MemoryZones(unused & ~zone, grouped, left);
    }

    /** Some zones have room for what is searched for; it must be memory only. */
    boolean haveRoom(MaskSearch search, long[] free, int zones) {
        long all = -1L >>> (Long.SIZE - zones);
        if (search.first(free, zones, 1, all & ~grouped, 0) != 0 || search.suffices(free, all & unused)) {
            return true;
        }
        for (long group : groups) {
            if (search.suffices(free, group)) {
                return true;
            }
        }
        return false;
    }

    /** As {@link MaskSearch#first}, of the masks from which memory can come. */
    long first(MaskSearch search, long[] free, int zones, int width, long allowed, long required) {
        if (width == 1) {
            return search.first(free, zones, width, allowed & ~grouped, required);
        }
        long first = search.first(free, zones, width, allowed & unused, required);
        for (long group : groups) {
            boolean eligible = Long.bitCount(group) == width && (group & ~allowed) == 0 && (required & ~group) == 0;
            if (eligible && (first == 0 || group < first) && search.suffices(free, group)) {
                first = group;
            }
        }
        return first;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof MemoryZones that
                && unused == that.unused
                && grouped == that.grouped
                && Arrays.equals(groups, that.groups);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(new long[] {unused, grouped});
    }
}
