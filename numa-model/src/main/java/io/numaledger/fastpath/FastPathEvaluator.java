package io.numaledger.fastpath;

import io.numaledger.fastpath.CompiledPod.Request;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;

import java.util.Arrays;

/**
 * Evaluates one pod on one node from per-zone counts. It allocates no memory per node.
 *
 * <p>The kubelet's merge of hints reduces to this: the preferred hints of each resource have one width, so a preferred result
 * needs the same width for all resources, and it is the first mask of that width in which every resource has enough.
 *
 * <p>Holds scratch space and the last result: use one evaluator per thread. {@link FastPathModel#evaluate} states when the result
 * equals that of the full model.
 */
public final class FastPathEvaluator {

    /** Zones of a pod that is not tied to any. */
    static final long NO_ZONES = 0;

    /** Passed instead of the largest sums of free amounts where they are not at hand; the search then does without them. */
    static final long[] NOT_COMPUTED = new long[0];

    private final MaskSearch search = new MaskSearch();
    private final ContainerSequence sequence = new ContainerSequence(this);
    private long zones;

    /** Evaluates the pod; never {@link Verdict#UNDECIDED} or {@link Verdict#NOT_FULL_CORES}. */
    Verdict evaluate(NodeCounts node, CompiledPod pod) {
        search.start();
        if (node.layout.policy == TopologyPolicyName.NONE) {
            Verdict verdict = sequence.evaluate(node, pod);
            zones = NO_ZONES;
            return verdict;
        }
        if (isByContainer(node, pod)) {
            return sequence.evaluate(node, pod);
        }
        return align(node.layout, pod.whole, node.free, node.largestSums, 0, node.memory);
    }

    /**
     * The zones of the last result, by position, as bits: those of the merged hint, of the last container with scope container.
     * 0 where nothing ties the pod to zones, and on best-effort nodes without a preferred hint: the placement then starts with the
     * lowest zones. After {@link Verdict#INSUFFICIENT_MEMORY}: the zones that have everything but the memory.
     */
    public long zones() {
        return zones;
    }

    /** The last result means nothing: the node has too many different zones for the search. */
    boolean gaveUp() {
        return search.gaveUp();
    }

    ContainerSequence sequence() {
        return sequence;
    }

    static boolean isByContainer(NodeCounts node, CompiledPod pod) {
        return node.layout.scope == TopologyScope.CONTAINER && pod.containers.length > 1;
    }

    /**
     * Merges the hints of one request.
     *
     * @param largestSums of the free amounts, see {@link NodeLayout#largestSums}; or {@link #NOT_COMPUTED}
     * @param required zones that every mask must contain, because something there is to be reused
     */
    Verdict align(
            NodeLayout layout, Request request, long[] free, long[] largestSums, long required, MemoryZones memory) {
        boolean bestEffort = layout.policy == TopologyPolicyName.BEST_EFFORT;
        int zoneCount = layout.zones;
        int width = memoryWidth(layout, request);
        boolean requestsMemory = width != 0;
        boolean memoryShort = width < 0 || (requestsMemory && !memory.haveRoom(search, free, zoneCount));
        if (memoryShort) {
            search.clear();
            width = 0;
        }
        long allowed = layout.allZones();
        boolean aligned = true;
        int cpuWidth = 0;
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            int row = layout.row(request.resources[i]);
            if (row >= 0) {
                int start = row * zoneCount;
                long need = request.needs[i];
                int own = width(layout.capacitySums, start, zoneCount, need);
                if (own < 0) {
                    return result(bestEffort ? Verdict.INSUFFICIENT : Verdict.NOT_ALIGNED, NO_ZONES);
                }
                if (layout.sockets.length > 0 && request.resources[i] == request.cpu()) {
                    cpuWidth = own;
                } else {
                    boolean scarce = own > 1 && largestSums != NOT_COMPUTED && largestSums[start + own - 1] < need;
                    aligned &= !scarce && (width == 0 || own == width);
                    width = own;
                }
                allowed = need == 0 ? allowed & layout.hosts[row] : allowed;
                search.add(start, need);
            }
        }
        long mask = NO_ZONES;
        if (aligned && search.count() > 0) {
            boolean tooWide = layout.policy == TopologyPolicyName.SINGLE_NUMA_NODE && width > 1;
            MemoryZones of = requestsMemory && !memoryShort ? memory : MemoryZones.UNUSED;
            if (cpuWidth > 0) {
                mask = inSockets(layout, free, width, cpuWidth, allowed, required, of);
            } else {
                mask = tooWide ? NO_ZONES : of.first(search, free, zoneCount, width, allowed, required);
            }
            aligned = mask != NO_ZONES;
        }
        if (bestEffort) {
            boolean enough = !memoryShort && !isShort(layout, request, free);
            return result(enough ? Verdict.ADMITTED : Verdict.INSUFFICIENT, mask);
        }
        if (!aligned) {
            return result(Verdict.NOT_ALIGNED, NO_ZONES);
        }
        return result(memoryShort ? Verdict.INSUFFICIENT_MEMORY : Verdict.ADMITTED, mask);
    }

    private Verdict result(Verdict verdict, long mask) {
        zones = mask;
        return verdict;
    }

    /** Chooses the zones of one request's memory under policy none: the narrowest mask, if it is one zone; else no zones. */
    Verdict placeMemory(NodeLayout layout, Request request, long[] free, MemoryZones memory) {
        if (isShort(layout, request, free)) {
            return result(Verdict.INSUFFICIENT, NO_ZONES);
        }
        int width = memoryWidth(layout, request);
        if (width < 0 || (width != 0 && !memory.haveRoom(search, free, layout.zones))) {
            return result(Verdict.INSUFFICIENT_MEMORY, NO_ZONES);
        }
        long mask = width == 1 ? memory.first(search, free, layout.zones, width, layout.allZones(), 0) : NO_ZONES;
        return result(Verdict.ADMITTED, mask);
    }

    /**
     * With {@code align-by-socket}, CPUs also accept a mask of another width over as few sockets as their own width needs
     * (cm/cpumanager/policy_static.go, isHintSocketAligned).
     *
     * @param width that of all other resources; 0: there is none
     */
    private long inSockets(
            NodeLayout layout, long[] free, int width, int cpuWidth, long allowed, long required, MemoryZones memory) {
        int perSocket = layout.zonesPerSocket;
        long mask = NO_ZONES;
        for (int own = Math.max(1, width); mask == NO_ZONES && own <= (width == 0 ? layout.zones : width); own++) {
            search.limit(
                    own == cpuWidth ? NodeLayout.NO_SOCKETS : layout.sockets, (cpuWidth + perSocket - 1) / perSocket);
            mask = memory.first(search, free, layout.zones, own, allowed, required);
        }
        return mask;
    }

    /**
     * The narrowest width at which the empty node has all requested types of memory together; 0 if none is requested, -1 if
     * there is no such width. Leaves the memory in the search.
     */
    private int memoryWidth(NodeLayout layout, Request request) {
        int zoneCount = layout.zones;
        int width = 0;
        search.clear();
        for (int i = 0; i < request.memoryTypes; i++) {
            int row = layout.row(request.resources[i]);
            if (row >= 0) {
                int own = width(layout.capacitySums, row * zoneCount, zoneCount, request.needs[i]);
                if (own < 0) {
                    return -1;
                }
                width = Math.max(width, own);
                search.add(row * zoneCount, request.needs[i]);
            }
        }
        if (search.count() > 1) {
            while (width < zoneCount && search.first(layout.capacity, zoneCount, width, -1L, 0) == 0) {
                width++;
            }
        }
        return width;
    }

    /** The width of {@link #memoryWidth}; the width of all zones if there is none. */
    int preferredMemoryWidth(NodeLayout layout, Request request) {
        int width = memoryWidth(layout, request);
        return width < 0 ? layout.zones : width;
    }

    private static int width(long[] sums, int start, int zoneCount, long need) {
        for (int k = 0; k < zoneCount; k++) {
            if (sums[start + k] >= need) {
                return k + 1;
            }
        }
        return -1;
    }

    /** The whole node has too little of a requested resource, memory apart. */
    private static boolean isShort(NodeLayout layout, Request request, long[] free) {
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            int row = layout.row(request.resources[i]);
            if (row >= 0 && MaskSearch.sum(free, row * layout.zones, layout.allZones()) < request.needs[i]) {
                return true;
            }
        }
        return false;
    }

    /**
     * Writes what the admitted pod of the last result takes to {@code taken}, by {@code row · zones + zone} as in
     * {@link ZoneTable}. Over several zones: CPUs from wholly free zones first, then from the fullest; memory and devices from the
     * lowest.
     *
     * @param taken an array as long as the table's
     */
    public void place(NodeCounts node, CompiledPod pod, long[] taken) {
        Arrays.fill(taken, 0, node.free.length, 0);
        if (node.layout.policy == TopologyPolicyName.NONE || isByContainer(node, pod)) {
            sequence.place(node, pod, taken);
        } else {
            ZoneAllocation.take(node.layout, pod.whole, node.free, zones, zones, taken);
        }
    }
}
