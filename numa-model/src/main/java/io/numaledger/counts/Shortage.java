package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;
import io.numaledger.kubelet.answer.Why;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Why a wish is not aligned, as the full model says it: resource by resource, the best zones of the wanted width. */
final class Shortage {

    private final ZoneTable table;
    private final NodeShape shape;
    private final boolean limitsDeviceMasks;
    private final Wish wish;
    private final long[] free;

    Shortage(ZoneTable table, NodeShape shape, boolean limitsDeviceMasks, Wish wish, long[] free) {
        this.table = table;
        this.shape = shape;
        this.limitsDeviceMasks = limitsDeviceMasks;
        this.wish = wish;
        this.free = free;
    }

    /** Devices by name, then CPUs, then the type of memory that is shortest, on so many zones. */
    List<Why> reasons(int memoryWidth) {
        List<Why> reasons = new ArrayList<>();
        Optional<Why> cpus = Optional.empty();
        for (int i = wish.memoryTypes; i < wish.resources.length; i++) {
            int row = shape.row(wish.resources[i]);
            if (row >= 0 && wish.resources[i] == wish.cpu()) {
                cpus = Optional.of(why(row, wish.needs[i], all()));
            } else if (row >= 0) {
                boolean limited = limitsDeviceMasks && shape.hosts[row] != 0;
                reasons.add(why(row, wish.needs[i], limited ? shape.hosts[row] : all()));
            }
        }
        cpus.ifPresent(reasons::add);
        memory(memoryWidth).ifPresent(reasons::add);
        return reasons;
    }

    /** CPUs of the whole node. */
    Why ofCpus(int inNoWholeCore) {
        for (int i = wish.memoryTypes; i < wish.resources.length; i++) {
            if (wish.resources[i] == wish.cpu()) {
                Why cpus = why(shape.row(wish.cpu()), wish.needs[i], all(), 0);
                return new Why(
                        cpus.resource(), Optional.empty(), cpus.need(), cpus.free() - inNoWholeCore, 0, List.of());
            }
        }
        throw new IllegalStateException("a pod without CPUs of its own needs no whole cores; ask for another reason");
    }

    /** The type of memory that is shortest on the whole node. */
    Why ofMemory() {
        Why shortest = memory(all(), 0);
        return new Why(shortest.resource(), Optional.empty(), shortest.need(), shortest.free(), 0, List.of());
    }

    private long all() {
        return -1L >>> (Long.SIZE - shape.zones);
    }

    private Why why(int row, long need, long universe) {
        int width = 1;
        int most = Long.bitCount(universe);
        while (width < most && shape.reach[row * shape.zones + width - 1] < need) {
            width++;
        }
        return why(row, need, roomiest(row, universe, width), width);
    }

    private Why why(int row, long need, long mask, int width) {
        long there = MaskSearch.sum(free, row * shape.zones, mask);
        return new Why(table.resources().get(row), Optional.of(table.mask(mask)), need, there, width, List.of());
    }

    private Optional<Why> memory(int width) {
        if (wish.memoryTypes == 0 || shape.row(wish.resources[0]) < 0) {
            return Optional.empty();
        }
        int last = shape.row(wish.resources[wish.memoryTypes - 1]);
        int wanted = width < 0 ? shape.zones : width;
        return Optional.of(memory(roomiest(last, all(), wanted), wanted));
    }

    private Why memory(long mask, int width) {
        int shortest = 0;
        for (int i = 1; i < wish.memoryTypes; i++) {
            if (left(i, mask) < left(shortest, mask)) {
                shortest = i;
            }
        }
        return why(shape.row(wish.resources[shortest]), wish.needs[shortest], mask, width);
    }

    private long left(int type, long mask) {
        return MaskSearch.sum(free, shape.row(wish.resources[type]) * shape.zones, mask) - wish.needs[type];
    }

    /** The zones of a width that have the most of it together; between equals the lower ones. */
    private long roomiest(int row, long universe, int width) {
        long mask = 0;
        for (int i = 0; i < width; i++) {
            long best = 0;
            for (long rest = universe & ~mask; rest != 0; rest &= rest - 1) {
                long zone = Long.lowestOneBit(rest);
                if (best == 0 || at(row, zone) > at(row, best)) {
                    best = zone;
                }
            }
            mask |= best;
        }
        return mask;
    }

    private long at(int row, long zone) {
        return free[row * shape.zones + Long.numberOfTrailingZeros(zone)];
    }
}
