package io.numaledger.fastpath;

import io.numaledger.fastpath.CompiledPod.Request;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.kubelet.cpu.CpuTopology;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.hint.NumaDistances;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import static java.util.Objects.requireNonNull;

/**
 * The fast path for nodes of one type: the same kubelet configuration on the same hardware. Exists only where counts decide:
 * every CPU is in a zone, sockets and zones nest, all zones have the same types of memory, and no policy option uses other information.
 */
public final class FastPathModel {

    /** The number of refusals with different reasons. */
    private static final int KINDS = 4;

    private final KubeletModel kubelet;
    private final ZoneTable table;
    private final NodeLayout layout;
    private final boolean limitsDeviceMasks;
    private final FullCores cores;
    /** Row → whether it is countable: false for devices of several zones, and for resources of which only some devices have a zone. */
    private final boolean[] countable;
    /** Resource number → resource, for devices without NUMA nodes. */
    private final Map<Integer, String> unzonedDevices = new TreeMap<>();

    private FastPathModel(KubeletModel kubelet, ZoneTable table, ResourceIndex index) {
        this.kubelet = kubelet;
        this.table = table;
        this.layout = new NodeLayoutBuilder(kubelet, table, index).build();
        this.limitsDeviceMasks = kubelet.rules().version().limitsDeviceHintsToDeviceNodes();
        this.cores = FullCores.of(kubelet);
        this.countable = new boolean[table.resources().size()];
        for (int row = 0; row < countable.length; row++) {
            String resource = table.resources().get(row);
            boolean unzoned = NodeLayoutBuilder.isUnzonedDevice(kubelet, resource);
            if (unzoned) {
                unzonedDevices.put(index.number(resource), resource);
            }
            countable[row] = unzoned
                    || ResourceKind.of(resource) != ResourceKind.DEVICE
                    || isInOneZoneEach(
                            requireNonNull(kubelet.machine().devices().get(resource)));
        }
    }

    /** Empty for a kubelet whose decisions need more than counts. */
    public static Optional<FastPathModel> of(KubeletModel kubelet, ZoneTable table, ResourceIndex index) {
        boolean counts = table.zones() > 0
                && optionsNeedCountsOnly(kubelet)
                && everyCpuHasAZone(kubelet)
                && containersGetAllTheirCpus(kubelet)
                && zonesHaveTheSameMemoryTypes(kubelet);
        return counts ? Optional.of(new FastPathModel(kubelet, table, index)) : Optional.empty();
    }

    /**
     * Options that only choose among the CPUs of a zone, or spread CPUs over a wide mask, never change which pods are admitted.
     * Neither do {@code full-pcpus-only} while whole cores are free, {@code align-by-socket} where each zone is in one socket, and
     * {@code prefer-closest-numa-nodes} where all zones have the same distance to themselves.
     */
    private static boolean optionsNeedCountsOnly(KubeletModel kubelet) {
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

    /** With {@code align-by-socket}, every zone has CPUs, too. */
    private static boolean everyCpuHasAZone(KubeletModel kubelet) {
        List<NumaNode> numaNodes = kubelet.machine().topology().numaNodes();
        CpuSet inZones = numaNodes.stream().map(NumaNode::cpus).reduce(CpuSet.EMPTY, CpuSet::union);
        return kubelet.cpus()
                .map(cpus -> cpus.topology().all().minus(inZones).isEmpty()
                        && (!kubelet.rules().has(CpuOption.ALIGN_BY_SOCKET)
                                || numaNodes.stream()
                                        .noneMatch(node -> node.cpus().isEmpty())))
                .orElse(true);
    }

    /**
     * The kubelet counts CPUs twice where sockets and zones overlap. Before 1.38 it takes CPUs that are not free where a core or socket is
     * above the average size; of a socket, only for containers that span several zones anyway, if no zone has several sockets.
     */
    private static boolean containersGetAllTheirCpus(KubeletModel kubelet) {
        boolean aligns = kubelet.rules().topologyPolicy() != TopologyPolicyName.NONE;
        return kubelet.cpus()
                .map(CpuAllocator::topology)
                .map(cpus -> cpus.nests()
                        && (kubelet.rules().version().comparesItemsWithTheirOwnSize()
                                || takesFreeItemsOnly(cpus, aligns)))
                .orElse(true);
    }

    private static boolean takesFreeItemsOnly(CpuTopology cpus, boolean aligns) {
        return cpus.hasNoneAboveAverage(Level.CORE)
                && (cpus.hasNoneAboveAverage(Level.SOCKET)
                        || (aligns && cpus.count(Level.SOCKET) <= cpus.count(Level.NUMA_NODE)));
    }

    private static boolean zonesHaveTheSameMemoryTypes(KubeletModel kubelet) {
        return kubelet.memory()
                .map(memory -> memory.empty().nodes().values().stream()
                                .map(node -> node.free().keySet())
                                .distinct()
                                .count()
                        == 1)
                .orElse(true);
    }

    private boolean isInOneZoneEach(List<Device> devices) {
        return !devices.isEmpty()
                && devices.stream()
                        .allMatch(device -> device.numaNodes().count() == 1
                                && kubelet.machine().topology().numaNodes().stream()
                                        .anyMatch(node -> device.numaNodes().contains(node.id())));
    }

    /**
     * The counts of a node in this state.
     *
     * @param free the table of the state's free amounts; must not be changed afterwards
     * @return empty where {@code full-pcpus-only} meets partly taken cores
     */
    public Optional<NodeCounts> counts(NodeState state, long[] free) {
        boolean decide = Arrays.stream(free).allMatch(amount -> amount >= 0) && cores.countsSuffice(state);
        return decide
                ? Optional.of(new NodeCounts(layout, free, memoryZones(state), unzonedDevices(state)))
                : Optional.empty();
    }

    /** The counts of a node without pods. */
    public NodeCounts empty() {
        long[] free = new long[layout.capacity.length];
        Arrays.setAll(free, table::empty);
        return new NodeCounts(layout, free, MemoryZones.UNUSED, unzonedDevices(kubelet.empty()));
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
            NumaMemory memory = requireNonNull(nodes.get(table.numaNode(zone).id()));
            unused |= memory.assignments() == 0 ? 1L << zone : 0;
            if (memory.cells().count() > 1) {
                grouped |= 1L << zone;
                if (memory.cells()
                        .ids()
                        .noneMatch(id -> requireNonNull(nodes.get(id)).breaks(memory.cells()))) {
                    groups.add(table.positions(memory.cells()));
                }
            }
        }
        return MemoryZones.of(
                unused, grouped, groups.stream().mapToLong(Long::longValue).toArray());
    }

    private Map<Integer, Long> unzonedDevices(NodeState state) {
        if (unzonedDevices.isEmpty()) {
            return Map.of();
        }
        Map<Integer, Long> free = new TreeMap<>();
        unzonedDevices.forEach((number, resource) -> free.put(number, (long) kubelet.devices()
                .orElseThrow()
                .available(resource, state.devices())
                .size()));
        return free;
    }

    /**
     * Evaluates the pod on a node of this type.
     *
     * @return the verdict of the full model, or {@link Verdict#UNDECIDED} where counts do not decide
     */
    public Verdict evaluate(FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod) {
        Verdict verdict = evaluator.evaluate(node, pod);
        boolean fullCores = cores.areRequested(pod);
        if (!fullCores && allocates(verdict, evaluator)) {
            verdict = Verdict.NOT_FULL_CORES;
        }
        boolean decided = !evaluator.gaveUp()
                && (pod.containers.length == 1 || fullCores)
                && !(pod.reuses && cores.isOn())
                && areCountable(pod)
                && hasUnzonedDevices(node, pod.whole)
                && Applicability.applies(evaluator, node, pod, verdict);
        return decided ? verdict : Verdict.UNDECIDED;
    }

    private boolean allocates(Verdict verdict, FastPathEvaluator evaluator) {
        boolean admitted = verdict == Verdict.ADMITTED
                && (evaluator.zones() != FastPathEvaluator.NO_ZONES || layout.policy == TopologyPolicyName.NONE);
        return admitted || verdict == Verdict.INSUFFICIENT_MEMORY;
    }

    private boolean areCountable(CompiledPod pod) {
        for (int resource : pod.whole.resources) {
            int row = layout.row(resource);
            if (row >= 0 && !countable[row]) {
                return false;
            }
        }
        return true;
    }

    /** The node has enough devices without NUMA nodes; the managers notice a shortage of them one after another. */
    private static boolean hasUnzonedDevices(NodeCounts node, Request request) {
        if (!node.unzonedDevices.isEmpty()) {
            for (int i = 0; i < request.resources.length; i++) {
                if (node.unzonedDevices.getOrDefault(request.resources[i], Long.MAX_VALUE) < request.needs[i]) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Whether the kubelet places the admitted pod of the last evaluation exactly as {@link FastPathEvaluator#place} does. Where it
     * is false, the placement is an estimate.
     */
    public boolean placesExactly(FastPathEvaluator evaluator, CompiledPod pod) {
        return !pod.reuses
                && Long.bitCount(evaluator.zones()) <= 1
                && layout.sockets.length == 0
                && layout.policy != TopologyPolicyName.NONE;
    }

    /**
     * How many copies of a pod a node takes, one after the other until it refuses one.
     *
     * @param most stop counting here
     * @return absent where counts do not decide, or do not say what a copy takes
     */
    public Optional<Copies> copies(FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod, int most) {
        if (pod.containers.length != 1) {
            return Optional.empty();
        }
        long[] taken = new long[node.free.length];
        NodeCounts left = node;
        for (int copies = 0; copies < most; copies++) {
            Verdict verdict = evaluate(evaluator, left, pod);
            if (verdict.isRefused()) {
                return Optional.of(new Copies(copies, left, refusalDetails(evaluator, left, pod, verdict)));
            }
            if (verdict == Verdict.UNDECIDED) {
                return Optional.empty();
            }
            if (copies + 1 < most && (!placesExactly(evaluator, pod) || usesUnzonedDevices(node, pod.whole))) {
                return Optional.empty();
            }
            evaluator.place(left, pod, taken);
            left = without(left, taken, pod.whole, evaluator.zones());
        }
        return Optional.of(new Copies(most, left, List.of()));
    }

    /**
     * How many copies of a pod a node takes.
     *
     * @param left the node after them, if one more was refused
     * @param refused how the resources of the next one fit; empty where counting was stopped
     */
    public record Copies(int count, NodeCounts left, List<ResourceFit> refused) {}

    private static boolean usesUnzonedDevices(NodeCounts node, Request request) {
        if (!node.unzonedDevices.isEmpty()) {
            for (int resource : request.resources) {
                if (node.unzonedDevices.containsKey(resource)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** @param zone as a bit */
    private NodeCounts without(NodeCounts node, long[] taken, Request request, long zone) {
        long[] free = node.free.clone();
        for (int at = 0; at < free.length; at++) {
            free[at] -= taken[at];
        }
        MemoryZones memory = request.memoryTypes > 0 ? node.memory.with(zone) : node.memory;
        return new NodeCounts(layout, free, memory, node.unzonedDevices);
    }

    /** How the resources of the pod that the last evaluation refused fit the node, as the full model reports it, without holders. */
    public List<ResourceFit> refusalDetails(
            FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod, Verdict verdict) {
        RefusalDetails details = details(evaluator, node, pod);
        return switch (verdict) {
            case INSUFFICIENT_MEMORY -> List.of(details.ofMemory());
            case NOT_FULL_CORES -> List.of(details.ofCpus(cores.left()));
            case NOT_ALIGNED, INSUFFICIENT, ADMITTED, UNDECIDED -> details.byResource(evaluator);
        };
    }

    /**
     * A small number that says why the last evaluation refused a pod. Where it is equal, for this pod and this type of nodes,
     * {@link #refusalDetails} differ only in zones and in amounts that are free there, and the same resource is short first, or none is.
     */
    public int refusalNumber(FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod, Verdict verdict) {
        RefusalDetails details = details(evaluator, node, pod);
        int number = switch (verdict) {
            case INSUFFICIENT_MEMORY -> KINDS * details.numberOfMemory();
            case NOT_FULL_CORES -> KINDS * details.numberOfCpus(cores.left()) + 1;
            case INSUFFICIENT -> KINDS * details.numberByResource(evaluator) + 2;
            case NOT_ALIGNED, ADMITTED, UNDECIDED -> KINDS * details.numberByResource(evaluator) + 3;
        };
        int container = FastPathEvaluator.isByContainer(node, pod)
                ? evaluator.sequence().last()
                : 0;
        return number * pod.containers.length + container;
    }

    private RefusalDetails details(FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod) {
        boolean byContainer = FastPathEvaluator.isByContainer(node, pod);
        ContainerSequence sequence = evaluator.sequence();
        return new RefusalDetails(
                table,
                layout,
                limitsDeviceMasks,
                byContainer ? pod.containers[sequence.last()] : pod.whole,
                byContainer ? sequence.free(layout, pod) : node.free);
    }
}
