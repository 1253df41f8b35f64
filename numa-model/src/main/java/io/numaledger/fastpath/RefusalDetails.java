package io.numaledger.fastpath;

import io.numaledger.fastpath.CompiledPod.Request;
import io.numaledger.kubelet.admission.ResourceFit;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How the resources of a refused request fit a node, as the full model reports it: for each, the best zones of its preferred width. */
final class RefusalDetails {

    private final ZoneTable table;
    private final NodeLayout layout;
    private final boolean limitsDeviceMasks;
    private final Request request;
    private final long[] free;

    RefusalDetails(ZoneTable table, NodeLayout layout, boolean limitsDeviceMasks, Request request, long[] free) {
        this.table = table;
        this.layout = layout;
        this.limitsDeviceMasks = limitsDeviceMasks;
        this.request = request;
        this.free = free;
    }

    /** Devices by name, then CPUs, then the type of memory that is shortest. */
    List<ResourceFit> byResource(int memoryWidth) {
        List<ResourceFit> fits = new ArrayList<>();
        Optional<ResourceFit> cpus = Optional.empty();
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            int row = layout.row(request.resources[i]);
            if (row >= 0 && request.resources[i] == request.cpu()) {
                cpus = Optional.of(fit(row, request.needs[i], layout.hosts[row]));
            } else if (row >= 0) {
                boolean limited = limitsDeviceMasks && layout.hosts[row] != 0;
                fits.add(fit(row, request.needs[i], limited ? layout.hosts[row] : layout.allZones()));
            }
        }
        cpus.ifPresent(fits::add);
        memory(memoryWidth).ifPresent(fits::add);
        return fits;
    }

    /** CPUs of the whole node. */
    ResourceFit ofCpus(int inPartialCores) {
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            if (request.resources[i] == request.cpu()) {
                ResourceFit cpus = fit(layout.row(request.cpu()), request.needs[i], layout.allZones(), 0);
                return new ResourceFit(
                        cpus.resource(), Optional.empty(), cpus.need(), cpus.free() - inPartialCores, 0, List.of());
            }
        }
        throw new IllegalStateException(
                "a pod without CPUs of its own cannot be refused for partial cores; choose another reason");
    }

    /** The type of memory that is shortest on the whole node. */
    ResourceFit ofMemory() {
        ResourceFit shortest = memory(layout.allZones(), 0);
        return new ResourceFit(shortest.resource(), Optional.empty(), shortest.need(), shortest.free(), 0, List.of());
    }

    private ResourceFit fit(int row, long need, long universe) {
        int width = 1;
        int most = Long.bitCount(universe);
        while (width < most && layout.capacitySums[row * layout.zones + width - 1] < need) {
            width++;
        }
        return fit(row, need, roomiest(row, universe, width), width);
    }

    private ResourceFit fit(int row, long need, long mask, int width) {
        long there = MaskSearch.sum(free, row * layout.zones, mask);
        return new ResourceFit(
                table.resources().get(row), Optional.of(table.mask(mask)), need, there, width, List.of());
    }

    private Optional<ResourceFit> memory(int width) {
        if (request.memoryTypes == 0 || layout.row(request.resources[0]) < 0) {
            return Optional.empty();
        }
        int last = layout.row(request.resources[request.memoryTypes - 1]);
        return Optional.of(memory(roomiest(last, layout.allZones(), width), width));
    }

    private ResourceFit memory(long mask, int width) {
        int shortest = 0;
        for (int i = 1; i < request.memoryTypes; i++) {
            if (left(i, mask) < left(shortest, mask)) {
                shortest = i;
            }
        }
        return fit(layout.row(request.resources[shortest]), request.needs[shortest], mask, width);
    }

    private long left(int type, long mask) {
        return MaskSearch.sum(free, layout.row(request.resources[type]) * layout.zones, mask) - request.needs[type];
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
        return free[row * layout.zones + Long.numberOfTrailingZeros(zone)];
    }
}
