package io.numaledger.fastpath;

import java.util.Arrays;
import java.util.stream.LongStream;

/**
 * The zones that memory can come from: one zone that is in no group, several zones without any allocation, or exactly an existing
 * group (cm/memorymanager/policy_static.go, calculateHints). Zones are bits, by position.
 */
final class MemoryZones {

    /** No memory is allocated. */
    static final MemoryZones UNUSED = new MemoryZones(-1L, 0);

    /** Shared instances for up to eight zones without groups, by unused zones: most nodes are like this. */
    private static final MemoryZones[] UNGROUPED = LongStream.range(0, 1 << 8)
            .mapToObj(unused -> new MemoryZones(unused, 0))
            .toArray(MemoryZones[]::new);

    /** Zones without an allocation of memory. */
    private final long unused;
    /** Zones in a group. */
    private final long grouped;

    /** Groups whose members are in no other group, and not used alone. */
    private final long[] groups;

    static MemoryZones of(long unused, long grouped, long... groups) {
        return grouped == 0 && unused >>> 8 == 0 ? UNGROUPED[(int) unused] : new MemoryZones(unused, grouped, groups);
    }

    private MemoryZones(long unused, long grouped, long... groups) {
        this.unused = unused;
        this.grouped = grouped;
        this.groups = groups;
    }

    /** The state after memory was taken from a single zone. */
    MemoryZones with(long zone) {
        if ((unused & zone) == 0) {
            return this;
        }
        long[] left = Arrays.stream(groups).filter(group -> (group & zone) == 0).toArray();
        return new MemoryZones(unused & ~zone, grouped, left);
    }

    /** Some zones have room for the searched amounts, which must be memory only. */
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

    /** Like {@link MaskSearch#first}, among the masks that memory can come from. */
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
