package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;

import java.util.Arrays;

/**
 * Answers for one pod on one node from counts, without allocating. The merge of the kubelet's hints comes down to this:
 * the preferred hints of all resources have one width each, so a preferred answer needs the same width for all, and is
 * the first mask of that width in which every resource has enough. Holds scratch space: one per thread.
 */
public final class CountsEvaluator {

    /** Admitted, and nothing that the pod asks for ties it to a zone. */
    public static final long ANYWHERE = 0;

    /** Refused: {@code TopologyAffinityError}. */
    public static final long NOT_ALIGNED = -1;

    /** Refused in allocation: {@code UnexpectedAdmissionError}; there is not enough on the whole node. */
    public static final long SHORT = -2;

    /** Refused: {@code SMTAlignmentError}; aligned, but not in whole cores. Only {@link CountsForm} knows. */
    public static final long NOT_WHOLE_CORES = -3;

    /** Refused in allocation: {@code UnexpectedAdmissionError}; no zones have enough memory for it together, nothing else is short. */
    public static final long SHORT_OF_MEMORY = -4;

    /** Stands for roomiest sums that are not at hand: the search then finds out by itself. */
    static final long[] NOT_WORKED_OUT = new long[0];

    private final MaskSearch search = new MaskSearch();
    private final ContainerRun run = new ContainerRun(this);
    private long shortOn;

    /**
     * The verdict: {@link #NOT_ALIGNED}, {@link #SHORT}, {@link #SHORT_OF_MEMORY}, {@link #ANYWHERE}, or the zones of the merged
     * hint as bits (of the last container, with scope container). On best-effort nodes without a preferred answer it is
     * {@link #ANYWHERE}, and the placement starts with the lowest zones.
     */
    public long verdict(NodeCounts node, PodAsk ask) {
        if (node.shape.policy == TopologyPolicyName.NONE) {
            return Math.min(ANYWHERE, run.verdict(node, ask));
        }
        if (isByContainer(node, ask)) {
            return run.verdict(node, ask);
        }
        return align(node, ask.whole);
    }

    /** Where the last wish that was {@link #SHORT_OF_MEMORY} has all the rest. */
    long shortOn() {
        return shortOn;
    }

    ContainerRun run() {
        return run;
    }

    static boolean isByContainer(NodeCounts node, PodAsk ask) {
        return node.shape.scope == TopologyScope.CONTAINER && ask.containers.length > 1;
    }

    private long align(NodeCounts node, Wish wish) {
        return align(node.shape, wish, node.free, node.roomiest, 0, node.memory);
    }

    /**
     * The merged hint of one wish.
     *
     * @param roomiest of these free amounts, or {@link #NOT_WORKED_OUT}
     * @param required zones that every mask must contain, because something there is to be used again
     */
    long align(NodeShape shape, Wish wish, long[] free, long[] roomiest, long required, MemoryZones memory) {
        boolean bestEffort = shape.policy == TopologyPolicyName.BEST_EFFORT;
        int zones = shape.zones;
        int width = memoryWidth(shape, wish);
        boolean asksMemory = width != 0;
        boolean memoryShort = width < 0 || (asksMemory && !memory.haveRoom(search, free, zones));
        if (memoryShort) {
            search.clear();
            width = 0;
        }
        long allowed = -1L >>> (Long.SIZE - zones);
        long preferred = 0;
        int cpuWidth = 0;
        for (int i = wish.memoryTypes; i < wish.resources.length; i++) {
            int row = shape.row(wish.resources[i]);
            if (row >= 0) {
                int start = row * zones;
                long need = wish.needs[i];
                int own = width(shape.reach, start, zones, need);
                if (own < 0) {
                    return bestEffort ? SHORT : NOT_ALIGNED;
                }
                if (shape.sockets.length > 0 && wish.resources[i] == wish.cpu()) {
                    cpuWidth = own;
                } else {
                    boolean scarce = own > 1 && roomiest != NOT_WORKED_OUT && roomiest[start + own - 1] < need;
                    preferred = scarce || (width != 0 && own != width) ? NOT_ALIGNED : preferred;
                    width = own;
                }
                allowed = need == 0 ? allowed & shape.hosts[row] : allowed;
                search.add(start, need);
            }
        }
        if (preferred == 0 && search.count() > 0) {
            boolean tooWide = shape.policy == TopologyPolicyName.SINGLE_NUMA_NODE && width > 1;
            MemoryZones of = asksMemory && !memoryShort ? memory : MemoryZones.UNUSED;
            if (cpuWidth > 0) {
                preferred = inSockets(shape, free, width, cpuWidth, allowed, required, of);
            } else {
                preferred = tooWide ? 0 : of.first(search, free, zones, width, allowed, required);
            }
            preferred = preferred == 0 ? NOT_ALIGNED : preferred;
        }
        if (bestEffort) {
            boolean enough = !memoryShort && !isShort(shape, wish, free, wish.memoryTypes, wish.resources.length);
            return enough ? Math.max(ANYWHERE, preferred) : SHORT;
        }
        shortOn = preferred;
        return preferred >= 0 && memoryShort ? SHORT_OF_MEMORY : preferred;
    }

    /**
     * Where the memory of one wish comes from when the Topology Manager has no say: the narrowest mask, if it is one zone; else
     * {@link #ANYWHERE}.
     */
    long placeMemory(NodeShape shape, Wish wish, long[] free, MemoryZones memory) {
        if (isShort(shape, wish, free, wish.memoryTypes, wish.resources.length)) {
            return SHORT;
        }
        int width = memoryWidth(shape, wish);
        shortOn = ANYWHERE;
        if (width < 0 || (width != 0 && !memory.haveRoom(search, free, shape.zones))) {
            return SHORT_OF_MEMORY;
        }
        return width == 1
                ? memory.first(search, free, shape.zones, width, -1L >>> (Long.SIZE - shape.zones), 0)
                : ANYWHERE;
    }

    /**
     * With {@code align-by-socket}, CPUs are also content with a mask of another width over as few sockets as their own needs
     * (cm/cpumanager/policy_static.go, isHintSocketAligned).
     *
     * @param width that of all other resources; 0: there is none
     */
    private long inSockets(
            NodeShape shape, long[] free, int width, int cpuWidth, long allowed, long required, MemoryZones memory) {
        int perSocket = shape.zonesPerSocket;
        long mask = 0;
        for (int own = Math.max(1, width); mask == 0 && own <= (width == 0 ? shape.zones : width); own++) {
            search.limit(
                    own == cpuWidth ? NodeShape.NO_SOCKETS : shape.sockets, (cpuWidth + perSocket - 1) / perSocket);
            mask = memory.first(search, free, shape.zones, own, allowed, required);
        }
        return mask;
    }

    /** The narrowest width at which the empty node has all types of memory together; 0: asks for none; -1: never. */
    int memoryWidth(NodeShape shape, Wish wish) {
        int zones = shape.zones;
        int width = 0;
        search.clear();
        for (int i = 0; i < wish.memoryTypes; i++) {
            int row = shape.row(wish.resources[i]);
            if (row >= 0) {
                int own = width(shape.reach, row * zones, zones, wish.needs[i]);
                if (own < 0) {
                    return -1;
                }
                width = Math.max(width, own);
                search.add(row * zones, wish.needs[i]);
            }
        }
        if (search.count() > 1) {
            while (width < zones && search.first(shape.base, zones, width, -1L, 0) == 0) {
                width++;
            }
        }
        return width;
    }

    private static int width(long[] reach, int start, int zones, long need) {
        for (int k = 0; k < zones; k++) {
            if (reach[start + k] >= need) {
                return k + 1;
            }
        }
        return -1;
    }

    /** Some of these resources is short on the whole node. */
    boolean isShort(NodeShape shape, Wish wish, long[] free, int from, int to) {
        for (int i = from; i < to; i++) {
            int row = shape.row(wish.resources[i]);
            if (row >= 0 && total(free, row * shape.zones, shape.zones) < wish.needs[i]) {
                return true;
            }
        }
        return false;
    }

    private static long total(long[] free, int start, int zones) {
        long sum = 0;
        for (int zone = 0; zone < zones; zone++) {
            sum += free[start + zone];
        }
        return sum;
    }

    /**
     * How full the zones of an admitted pod get, 0 to 100: the average over its resources of need against what is free
     * there. Higher packs tighter. 0 for a refused pod and for one that asks for nothing that is aligned.
     */
    public int score(NodeCounts node, PodAsk ask, long verdict) {
        if (verdict < 0) {
            return 0;
        }
        int zones = node.shape.zones;
        long mask = verdict == ANYWHERE ? -1L >>> (Long.SIZE - zones) : verdict;
        long sum = 0;
        int counted = 0;
        for (int i = 0; i < ask.whole.resources.length; i++) {
            int row = node.shape.row(ask.whole.resources[i]);
            long need = ask.whole.needs[i];
            if (row >= 0 && need > 0) {
                long free = MaskSearch.sum(node.free, row * zones, mask);
                sum += Math.min(100, 100 * need / Math.max(1, free));
                counted++;
            }
        }
        return counted == 0 ? 0 : (int) (sum / counted);
    }

    /**
     * Where an admitted pod's amounts come to lie, written over {@code into}, by {@code row · zones + zone} (see
     * {@link NodeCounts#row}). Over several zones: CPUs from wholly free zones first, then from the fullest; memory and
     * devices from the lowest.
     */
    public void place(NodeCounts node, PodAsk ask, long verdict, long[] into) {
        Arrays.fill(into, 0, node.free.length, 0);
        if (node.shape.policy == TopologyPolicyName.NONE || isByContainer(node, ask)) {
            run.place(node, ask, into);
        } else {
            ZoneFill.fill(node.shape, ask.whole, node.free, verdict, verdict, into);
        }
    }
}
