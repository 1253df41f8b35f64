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
    List<ResourceFit> byResource(FastPathEvaluator evaluator) {
        List<ResourceFit> fits = new ArrayList<>();
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            if (isHere(i) && !isCpu(i)) {
                fits.add(fit(i, zones(i), width(i)));
            }
        }
        int cpus = cpus();
        if (cpus >= 0) {
            fits.add(fit(cpus, zones(cpus), width(cpus)));
        }
        if (requestsMemory()) {
            int width = evaluator.preferredMemoryWidth(layout, request);
            long mask = memoryZones(width);
            fits.add(fit(shortest(mask), mask, width));
        }
        return fits;
    }

    /**
     * Which of {@link #byResource} is short first, as a number: its place in the request; if none is short, the place of the memory, behind
     * all resources.
     */
    int numberByResource(FastPathEvaluator evaluator) {
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            if (isHere(i) && !isCpu(i) && isShort(i, free(i, zones(i)))) {
                return i;
            }
        }
        int cpus = cpus();
        if (cpus >= 0 && isShort(cpus, free(cpus, zones(cpus)))) {
            return cpus;
        }
        if (!requestsMemory()) {
            return request.resources.length;
        }
        long mask = memoryZones(evaluator.preferredMemoryWidth(layout, request));
        int memory = shortest(mask);
        return number(memory, free(memory, mask));
    }

    private int number(int i, long there) {
        return isShort(i, there) ? i : request.resources.length + i;
    }

    private boolean isShort(int i, long there) {
        return Long.compareUnsigned(there, request.needs[i]) < 0;
    }

    /** CPUs of the whole node. */
    ResourceFit ofCpus(int inPartialCores) {
        int cpus = cpus();
        return onNode(cpus, free(cpus, layout.allZones()) - inPartialCores);
    }

    /** Whether {@link #ofCpus} are short, as a number. */
    int numberOfCpus(int inPartialCores) {
        int cpus = cpus();
        return number(cpus, free(cpus, layout.allZones()) - inPartialCores);
    }

    /** The type of memory that is shortest on the whole node. */
    ResourceFit ofMemory() {
        int memory = shortest(layout.allZones());
        return onNode(memory, free(memory, layout.allZones()));
    }

    /** Which one {@link #ofMemory} is and whether it is short, as a number. */
    int numberOfMemory() {
        int memory = shortest(layout.allZones());
        return number(memory, free(memory, layout.allZones()));
    }

    private int row(int i) {
        return layout.row(request.resources[i]);
    }

    private boolean isHere(int i) {
        return row(i) >= 0;
    }

    private boolean isCpu(int i) {
        return request.resources[i] == request.cpu();
    }

    /** The place of the CPUs; negative if the node does not give out CPUs, or the pod asks for none. */
    private int cpus() {
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            if (isCpu(i) && isHere(i)) {
                return i;
            }
        }
        return -1;
    }

    private boolean requestsMemory() {
        return request.memoryTypes > 0 && isHere(0);
    }

    private ResourceFit fit(int i, long mask, int width) {
        return new ResourceFit(
                table.resources().get(row(i)),
                Optional.of(table.mask(mask)),
                request.needs[i],
                free(i, mask),
                width,
                List.of());
    }

    private ResourceFit onNode(int i, long there) {
        return new ResourceFit(table.resources().get(row(i)), Optional.empty(), request.needs[i], there, 0, List.of());
    }

    private long free(int i, long mask) {
        return MaskSearch.sum(free, row(i) * layout.zones, mask);
    }

    /** The zones where a device or CPUs are looked for. */
    private long universe(int i) {
        long hosts = layout.hosts[row(i)];
        return isCpu(i) || (limitsDeviceMasks && hosts != 0) ? hosts : layout.allZones();
    }

    private int width(int i) {
        int width = 1;
        int most = Long.bitCount(universe(i));
        while (width < most && layout.capacitySums[row(i) * layout.zones + width - 1] < request.needs[i]) {
            width++;
        }
        return width;
    }

    private long zones(int i) {
        return roomiest(row(i), universe(i), width(i));
    }

    private long memoryZones(int width) {
        return roomiest(row(request.memoryTypes - 1), layout.allZones(), width);
    }

    /** The type of memory that lacks most in these zones. */
    private int shortest(long mask) {
        int shortest = 0;
        for (int i = 1; i < request.memoryTypes; i++) {
            if (left(i, mask) < left(shortest, mask)) {
                shortest = i;
            }
        }
        return shortest;
    }

    private long left(int type, long mask) {
        return free(type, mask) - request.needs[type];
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
