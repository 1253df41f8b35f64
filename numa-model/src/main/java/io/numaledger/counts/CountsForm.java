package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.answer.Refusal.Reason;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.cpu.CpuTopology;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.hint.NumaDistances;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The counts of one kind of node, where counts say all that decides there: no policy option is on that looks at more, and
 * every CPU is in a zone. With {@link Sufficiency}, which looks at the pod, an answer from these counts is that of the full
 * model; {@link #placesExactly} says when its zones and amounts are, too.
 */
public final class CountsForm {

    private final KubeletModel kubelet;
    private final ZoneTable table;
    private final NodeShape shape;
    private final boolean limitsDeviceMasks;
    private final WholeCores cores;
    /** By row: false for devices of several zones, or of which some have none. */
    private final boolean[] counted;
    /** Resource number → resource, of devices without topology. */
    private final Map<Integer, String> anywhere = new TreeMap<>();

    private CountsForm(KubeletModel kubelet, ZoneTable table, NodeShape shape, ResourceIndex index) {
        this.kubelet = kubelet;
        this.table = table;
        this.shape = shape;
        this.limitsDeviceMasks = kubelet.rules().version().limitsDeviceHintsToDeviceNodes();
        this.cores = WholeCores.of(kubelet);
        this.counted = new boolean[table.resources().size()];
        for (int row = 0; row < counted.length; row++) {
            String resource = table.resources().get(row);
            boolean placeless = isPlaceless(kubelet, resource);
            if (placeless) {
                anywhere.put(index.number(resource), resource);
            }
            counted[row] = placeless
                    || ResourceKind.of(resource) != ResourceKind.DEVICE
                    || onOneZone(kubelet, kubelet.machine().devices().get(resource));
        }
    }

    /** Absent for a kubelet that looks at more than counts. */
    public static Optional<CountsForm> of(KubeletModel kubelet, ZoneTable table, ResourceIndex index) {
        boolean plain = table.zones() > 0 && looksAtCountsOnly(kubelet) && cpusInZones(kubelet) && memoryAlike(kubelet);
        return plain
                ? Optional.of(new CountsForm(kubelet, table, shape(kubelet, table, index), index))
                : Optional.empty();
    }

    /**
     * Options that choose among the CPUs of one zone, or how CPUs go over a wide mask, change nothing for who is admitted; nor do
     * {@code full-pcpus-only} while whole cores are free, {@code align-by-socket} where each zone is of one socket, and
     * {@code prefer-closest-numa-nodes} where each zone is as close to itself as the others.
     */
    private static boolean looksAtCountsOnly(KubeletModel kubelet) {
        KubeletRules rules = kubelet.rules();
        return !rules.version().isLaterThanModelled()
                && (!rules.prefersClosestNumaNodes()
                        || new NumaDistances(kubelet.machine().topology()).areAlikeToThemselves())
                && (!rules.has(CpuOption.ALIGN_BY_SOCKET)
                        || kubelet.cpus()
                                .map(cpus -> zonesAreInSockets(cpus.topology()))
                                .orElse(true));
    }

    private static boolean zonesAreInSockets(CpuTopology topology) {
        return topology.count(Level.SOCKET) <= Long.SIZE
                && topology.items(Level.NUMA_NODE).values().stream()
                        .allMatch(cpus -> topology.itemsOf(Level.SOCKET, cpus).size() == 1);
    }

    /** Where a socket is a zone, a mask has as many sockets as it is wide, and all masks that count are preferred anyway. */
    private static long[] sockets(KubeletModel kubelet, ZoneTable table) {
        if (kubelet.cpus().isEmpty() || !kubelet.rules().has(CpuOption.ALIGN_BY_SOCKET)) {
            return NodeShape.NO_SOCKETS;
        }
        CpuTopology topology = kubelet.cpus().get().topology();
        if (topology.count(Level.SOCKET) == table.zones()) {
            return NodeShape.NO_SOCKETS;
        }
        List<Integer> sockets = List.copyOf(topology.items(Level.SOCKET).keySet());
        long[] byZone = new long[table.zones()];
        Arrays.setAll(
                byZone,
                zone -> 1L
                        << sockets.indexOf(topology.itemsOf(
                                        Level.SOCKET, table.numaNode(zone).cpus())
                                .first()));
        return byZone;
    }

    /** Every zone has CPUs, and every CPU a zone. */
    private static boolean cpusInZones(KubeletModel kubelet) {
        CpuSet own = kubelet.machine().topology().numaNodes().stream()
                .map(NumaNode::cpus)
                .reduce(CpuSet.EMPTY, CpuSet::union);
        boolean everywhere = kubelet.machine().topology().numaNodes().stream()
                .noneMatch(node -> node.cpus().isEmpty());
        return kubelet.cpus()
                .map(cpus -> everywhere && cpus.topology().all().minus(own).isEmpty())
                .orElse(true);
    }

    /** Every zone has the same types of memory. */
    private static boolean memoryAlike(KubeletModel kubelet) {
        return kubelet.memory()
                .map(memory -> memory.empty().nodes().values().stream()
                                .map(node -> node.free().keySet())
                                .distinct()
                                .count()
                        == 1)
                .orElse(true);
    }

    private static boolean onOneZone(KubeletModel kubelet, List<Device> devices) {
        return !devices.isEmpty()
                && devices.stream()
                        .allMatch(device -> device.numaNodes().count() == 1
                                && kubelet.machine().topology().numaNodes().stream()
                                        .anyMatch(node -> device.numaNodes().contains(node.id())));
    }

    /** Devices of which none has a NUMA node: whoever asks for them may be anywhere. */
    private static boolean isPlaceless(KubeletModel kubelet, String resource) {
        return ResourceKind.of(resource) == ResourceKind.DEVICE
                && kubelet.machine().devices().get(resource).stream()
                        .allMatch(device -> device.numaNodes().isEmpty());
    }

    private static NodeShape shape(KubeletModel kubelet, ZoneTable table, ResourceIndex index) {
        List<String> resources = table.resources();
        resources.forEach(index::number);
        int[] rows = new int[index.size()];
        Arrays.fill(rows, NodeShape.NOT_HERE);
        long[] base = new long[resources.size() * table.zones()];
        for (int row = 0; row < resources.size(); row++) {
            rows[index.number(resources.get(row))] =
                    isPlaceless(kubelet, resources.get(row)) ? NodeShape.NOT_HERE : row;
            for (int zone = 0; zone < table.zones(); zone++) {
                base[row * table.zones() + zone] = base(kubelet, table, row, zone);
            }
        }
        return new NodeShape(
                kubelet.rules().topologyPolicy(),
                kubelet.rules().topologyScope(),
                table.zones(),
                rows,
                base,
                sockets(kubelet, table),
                Set.of());
    }

    /** What counts for the width: reserved CPUs and unhealthy devices, too. */
    private static long base(KubeletModel kubelet, ZoneTable table, int row, int zone) {
        String resource = table.resources().get(row);
        NumaNode numaNode = table.numaNode(zone);
        return switch (ResourceKind.of(resource)) {
            case CPU -> numaNode.cpus().size();
            case MEMORY ->
                kubelet.memory()
                        .orElseThrow()
                        .empty()
                        .nodes()
                        .get(numaNode.id())
                        .allocatable()
                        .get(resource);
            case DEVICE ->
                kubelet.machine().devices().get(resource).stream()
                        .filter(device -> device.numaNodes().contains(numaNode.id()))
                        .count();
        };
    }

    /** The counts of this state, of which {@code free} is the table; absent where cores are taken in part that are given out whole. */
    public Optional<NodeCounts> counts(NodeState state, long[] free) {
        boolean sound = Arrays.stream(free).allMatch(amount -> amount >= 0) && cores.decide(state);
        return sound ? Optional.of(new NodeCounts(shape, free, memoryZones(state), anywhere(state))) : Optional.empty();
    }

    private MemoryZones memoryZones(NodeState state) {
        if (state.memory().isEmpty()) {
            return MemoryZones.UNUSED;
        }
        long unused = 0;
        long grouped = 0;
        SortedSet<Long> groups = new TreeSet<>();
        SortedMap<Integer, NumaMemory> nodes = state.memory().get().nodes();
        for (int zone = 0; zone < table.zones(); zone++) {
            NumaMemory memory = nodes.get(table.numaNode(zone).id());
            unused |= memory.assignments() == 0 ? 1L << zone : 0;
            if (memory.cells().count() > 1) {
                grouped |= 1L << zone;
                if (memory.cells().ids().noneMatch(id -> nodes.get(id).breaks(memory.cells()))) {
                    groups.add(table.positions(memory.cells()));
                }
            }
        }
        return MemoryZones.of(
                unused, grouped, groups.stream().mapToLong(Long::longValue).toArray());
    }

    /** The evaluator's verdict, or {@link CountsEvaluator#NOT_WHOLE_CORES}. */
    public long verdict(CountsEvaluator evaluator, NodeCounts node, PodAsk ask) {
        long verdict = evaluator.verdict(node, ask);
        boolean allocates = verdict > 0
                || verdict == CountsEvaluator.SHORT_OF_MEMORY
                || (verdict == CountsEvaluator.ANYWHERE && shape.policy == TopologyPolicyName.NONE);
        return allocates && !cores.areAskedFor(ask) ? CountsEvaluator.NOT_WHOLE_CORES : verdict;
    }

    /** The full model would say the same; to be asked of the last verdict. */
    public boolean suffices(CountsEvaluator evaluator, NodeCounts node, PodAsk ask, long verdict) {
        return (ask.containers.length == 1 || cores.areAskedFor(ask))
                && !(ask.reuses && cores.areWhole())
                && areCounted(ask)
                && haveEnough(node, ask.whole)
                && Sufficiency.holds(evaluator, node, ask, verdict);
    }

    private boolean areCounted(PodAsk ask) {
        for (int resource : ask.whole.resources) {
            int row = shape.row(resource);
            if (row >= 0 && !counted[row]) {
                return false;
            }
        }
        return true;
    }

    /** Of devices that may be anywhere; where they are short, managers find out one after the other. */
    private static boolean haveEnough(NodeCounts node, Wish wish) {
        if (!node.anywhere.isEmpty()) {
            for (int i = 0; i < wish.resources.length; i++) {
                if (node.anywhere.getOrDefault(wish.resources[i], Long.MAX_VALUE) < wish.needs[i]) {
                    return false;
                }
            }
        }
        return true;
    }

    private Map<Integer, Long> anywhere(NodeState state) {
        if (anywhere.isEmpty()) {
            return Map.of();
        }
        Map<Integer, Long> free = new TreeMap<>();
        anywhere.forEach((number, resource) -> free.put(number, (long) kubelet.devices()
                .orElseThrow()
                .available(resource, state.devices())
                .size()));
        return free;
    }

    /** What the kubelet calls this refusal. */
    public static Reason reason(long verdict) {
        if (verdict == CountsEvaluator.NOT_WHOLE_CORES) {
            return Reason.SMT_ALIGNMENT;
        }
        return verdict == CountsEvaluator.NOT_ALIGNED ? Reason.TOPOLOGY_AFFINITY : Reason.UNEXPECTED_ADMISSION;
    }

    /** It would also place an admitted pod as {@link CountsEvaluator#place} does; who uses what of init containers again is not known. */
    public boolean placesExactly(PodAsk ask, long verdict) {
        return !ask.reuses
                && Long.bitCount(verdict) <= 1
                && shape.sockets.length == 0
                && shape.policy != TopologyPolicyName.NONE;
    }

    /** What stands in the way of a pod that this evaluator has just refused; no holders. */
    public List<Why> why(CountsEvaluator evaluator, NodeCounts node, PodAsk ask, long verdict) {
        boolean byContainer = CountsEvaluator.isByContainer(node, ask);
        Wish wish = byContainer ? evaluator.run().refused() : ask.whole;
        Shortage shortage = new Shortage(
                table,
                shape,
                limitsDeviceMasks,
                wish,
                byContainer ? evaluator.run().free(shape) : node.free);
        if (verdict == CountsEvaluator.SHORT_OF_MEMORY) {
            return List.of(shortage.ofMemory());
        }
        return verdict == CountsEvaluator.NOT_WHOLE_CORES
                ? List.of(shortage.ofCpus(cores.left()))
                : shortage.reasons(evaluator.memoryWidth(shape, wish));
    }

    /** The counts of the node without pods. */
    public NodeCounts empty() {
        long[] free = new long[shape.base.length];
        Arrays.setAll(free, table::empty);
        return new NodeCounts(shape, free, MemoryZones.UNUSED, anywhere(kubelet.empty()));
    }
}
