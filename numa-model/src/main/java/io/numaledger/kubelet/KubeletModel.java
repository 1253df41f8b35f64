package io.numaledger.kubelet;

import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.StartupChecks;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.kubelet.cpu.CpuTopology;
import io.numaledger.kubelet.device.DeviceAllocator;
import io.numaledger.kubelet.device.DeviceDraws;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.kubelet.hint.KubeletFailureException;
import io.numaledger.kubelet.hint.NumaDistances;
import io.numaledger.kubelet.hint.TooManyMasksException;
import io.numaledger.kubelet.memory.MemoryAllocator;
import io.numaledger.kubelet.policy.TopologyPolicy;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.resource.Hugepages;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Models how the kubelet of one machine admits pods and allocates CPUs, memory and devices to them. Immutable. */
public final class KubeletModel {

    /** 184,756 combinations at most. */
    private static final int MOST_NUMA_NODES_TO_DISTRIBUTE_OVER = 20;

    private final Machine machine;
    private final KubeletRules rules;
    private final CpuSet unheldCpus;
    private final Optional<String> unsupported;
    private final Optional<ResourceManagers> managers;

    private KubeletModel(Machine machine, KubeletRules rules, CpuSet unheldCpus) {
        this.machine = machine;
        this.rules = rules;
        this.unheldCpus = unheldCpus;
        this.unsupported = unsupported(machine, rules);
        this.managers = unsupported.isPresent() ? Optional.empty() : Optional.of(managers(machine, rules, unheldCpus));
    }

    /**
     * Creates the model of a kubelet with this configuration on this machine.
     *
     * @throws StartupRefusedException with the kubelet's message, when it would not start
     */
    public static KubeletModel start(Machine machine, KubeletConfig config) {
        KubeletModel model = new KubeletModel(machine, StartupChecks.rules(config, machine.topology()), CpuSet.EMPTY);
        if (model.rules.memoryManagerOn()) {
            StartupChecks.checkReservedMemory(config.memoryManager(), machine.topology());
        }
        return model;
    }

    /**
     * This model with masks listed or as rules, see {@link KubeletRules#listsMasks}. Both decide alike; lists are
     * practicable up to a dozen NUMA nodes.
     */
    public KubeletModel withListedMasks(boolean listed) {
        return new KubeletModel(machine, rules.withListedMasks(listed), unheldCpus);
    }

    /** This model of a kubelet whose CPU Manager has lost these CPUs: it gives them to nobody until its state file is deleted. */
    public KubeletModel withoutCpus(CpuSet unheld) {
        return unheld.isEmpty() ? this : new KubeletModel(machine, rules, unheld);
    }

    private static Optional<String> unsupported(Machine machine, KubeletRules rules) {
        Optional<NumaNode> high = machine.topology().numaNodes().stream()
                .filter(node -> node.id() > AffinityMask.MAX_ID)
                .findFirst();
        if (high.isPresent() && needsMasksOfAll(machine.topology(), rules)) {
            return Optional.of(
                    "the kubelet's masks end at NUMA node id 63: numaNode=%d; nothing can be aligned on this machine"
                            .formatted(high.get().id()));
        }
        return rules.listsMasks() ? Optional.empty() : unsupportedOnManyNumaNodes(machine.topology(), rules);
    }

    /**
     * The kubelet makes a mask of all NUMA nodes to merge hints, and for the hints of memory; with an id above 63 there is no such mask,
     * and it panics (cm/topologymanager/numa_info.go, DefaultAffinityMask). Without either, it never looks at NUMA nodes that have no
     * CPUs.
     */
    private static boolean needsMasksOfAll(MachineTopology machine, KubeletRules rules) {
        return rules.topologyPolicy() != TopologyPolicyName.NONE
                || rules.memoryManagerOn()
                || machine.numaNodes().stream()
                        .anyMatch(node ->
                                node.id() > AffinityMask.MAX_ID && !node.cpus().isEmpty());
    }

    private static Optional<String> unsupportedOnManyNumaNodes(MachineTopology machine, KubeletRules rules) {
        if (rules.topologyPolicy() != TopologyPolicyName.NONE
                && rules.prefersClosestNumaNodes()
                && new NumaDistances(machine).areSparse()) {
            return Optional.of(
                    "prefer-closest-numa-nodes reads distances by NUMA node id, and these ids have gaps: numaNodes=%d; turn the option off on this machine"
                            .formatted(machine.numaNodes().size()));
        }
        Optional<NumaNode> overReserved = machine.numaNodes().stream()
                .filter(node -> rules.memoryManagerOn() && reservesMoreThanItHas(node, rules))
                .findFirst();
        if (overReserved.isPresent()) {
            return Optional.of(
                    "more memory is reserved than the NUMA node has, and the kubelet's number wraps around: numaNode=%d; correct reservedMemory"
                            .formatted(overReserved.get().id()));
        }
        long withCpus = machine.numaNodes().stream()
                .filter(node -> !node.cpus().isEmpty())
                .count();
        if (rules.cpuManagerOn()
                && rules.has(CpuOption.DISTRIBUTE_CPUS_ACROSS_NUMA)
                && withCpus > MOST_NUMA_NODES_TO_DISTRIBUTE_OVER) {
            return Optional.of(
                    "distribute-cpus-across-numa tries every combination of NUMA nodes with CPUs: numaNodes=%d max=%d; turn the option off on this machine"
                            .formatted(withCpus, MOST_NUMA_NODES_TO_DISTRIBUTE_OVER));
        }
        return Optional.empty();
    }

    private static boolean reservesMoreThanItHas(NumaNode node, KubeletRules rules) {
        long taken = rules.config().memoryManager().reserved(node.id(), "memory");
        for (var pages : node.hugepages().entrySet()) {
            long bytes = pages.getKey() * pages.getValue();
            if (bytes < rules.config().memoryManager().reserved(node.id(), Hugepages.resource(pages.getKey()))) {
                return true;
            }
            taken += bytes;
        }
        return node.memoryBytes().orElse(0) < taken;
    }

    private static ResourceManagers managers(Machine machine, KubeletRules rules, CpuSet unheldCpus) {
        AffinityMask numaNodes = AffinityMask.of(machine.topology().numaNodes().stream()
                .map(NumaNode::id)
                .filter(id -> id <= AffinityMask.MAX_ID)
                .toList());
        Optional<CpuAllocator> cpus = rules.cpuManagerOn()
                ? Optional.of(new CpuAllocator(rules, new CpuTopology(machine.topology()), unheldCpus))
                : Optional.empty();
        Optional<MemoryAllocator> memory = rules.memoryManagerOn()
                ? Optional.of(new MemoryAllocator(rules, machine.topology(), numaNodes))
                : Optional.empty();
        return new ResourceManagers(
                rules,
                TopologyPolicy.of(rules, machine.topology(), numaNodes),
                cpus,
                memory,
                new DeviceAllocator(rules, machine.devices(), machine.preferences(), numaNodes));
    }

    public Machine machine() {
        return machine;
    }

    /** See {@link #withoutCpus}. */
    public CpuSet unheldCpus() {
        return unheldCpus;
    }

    public KubeletRules rules() {
        return rules;
    }

    /** Why the machine is not modelled; empty if it is. */
    public Optional<String> unsupported() {
        return unsupported;
    }

    /** The CPU Manager's part; absent with policy none, and for an unsupported machine. */
    public Optional<CpuAllocator> cpus() {
        return managers.flatMap(ResourceManagers::cpus);
    }

    /** The Memory Manager's part; absent with policy None, and for an unsupported machine. */
    public Optional<MemoryAllocator> memory() {
        return managers.flatMap(ResourceManagers::memory);
    }

    /** The Device Manager's part; absent for an unsupported machine. */
    public Optional<DeviceAllocator> devices() {
        return managers.map(ResourceManagers::devices);
    }

    /** A node without pods. */
    public NodeState empty() {
        return new NodeState(
                cpus().map(CpuAllocator::empty),
                memory().map(MemoryAllocator::empty),
                DeviceState.EMPTY,
                Collections.emptySortedSet());
    }

    /**
     * The state of a node with observed allocations. The kubelet does not report which part of a memory block over several NUMA
     * nodes is on each node; the lowest node is assumed to be filled first.
     *
     * @param pods named in the model by {@link PodAllocation#key}
     * @throws IllegalArgumentException naming what does not exist on this machine or is held twice
     */
    public NodeState holding(List<PodAllocation> pods) {
        NodeState state = empty();
        for (PodAllocation pod : pods) {
            state = holding(state, pod.key(), pod);
        }
        return state;
    }

    /**
     * Adds an observed pod to the state, see {@link #holding(List)}.
     *
     * @param pod its name in the model, kept as it is: callers that have it need no memory for another
     * @throws IllegalArgumentException naming what does not exist on this machine or is held twice
     */
    public NodeState holding(NodeState state, String pod, PodAllocation held) {
        boolean asAWhole = !held.cpus().isEmpty() || !held.memory().isEmpty();
        NodeState more = asAWhole ? holdingPod(state, pod, held) : state;
        for (ContainerAllocation container : held.containers()) {
            more = holding(more, pod, asAWhole ? beside(held, container) : container);
        }
        return more;
    }

    private NodeState holdingPod(NodeState state, String pod, PodAllocation held) {
        return new NodeState(
                state.cpus().map(all -> cpus().orElseThrow().holdPod(all, pod, held)),
                state.memory().map(all -> memory().orElseThrow().holdPod(all, pod, held)),
                state.devices(),
                state.stale());
    }

    /** What a container holds that is no part of what its pod has as a whole. */
    private static ContainerAllocation beside(PodAllocation pod, ContainerAllocation container) {
        return new ContainerAllocation(
                container.name(),
                pod.cpus().isEmpty() ? container.cpus() : CpuSet.EMPTY,
                pod.memory().isEmpty() ? container.memory() : List.of(),
                container.devices());
    }

    private NodeState holding(NodeState state, String pod, ContainerAllocation container) {
        SortedMap<String, SortedSet<String>> ids = new TreeMap<>();
        for (DeviceAllocation device : container.devices()) {
            ids.computeIfAbsent(device.resource(), resource -> new TreeSet<>()).add(device.deviceId());
        }
        DeviceState devices = state.devices();
        for (var resource : ids.entrySet()) {
            devices = devices().isEmpty()
                    ? devices
                    : devices().get().hold(devices, pod, container.name(), resource.getKey(), resource.getValue());
        }
        return new NodeState(
                state.cpus().map(held -> cpus().orElseThrow().hold(held, pod, container.name(), container.cpus())),
                state.memory()
                        .map(held -> memory().orElseThrow().hold(held, pod, container.name(), container.memory())),
                devices,
                state.stale());
    }

    /**
     * What the podresources API lists of a pod that this kubelet admits, once its plain init containers have ended. The name of the
     * request is {@code namespace/name}.
     */
    public PodAllocation listed(PodRequest pod, Admission.Admitted admitted) {
        boolean asAWhole = rules.version().listsPodsAsAWhole();
        CpuSet podCpus = asAWhole ? admitted.cpus() : CpuSet.EMPTY;
        List<MemoryBlock> podMemory = asAWhole ? admitted.memory() : List.of();
        List<ContainerAllocation> containers = new ArrayList<>();
        List<ContainerRequest> requests = pod.inAllocationOrder();
        for (int i = 0; i < requests.size(); i++) {
            ContainerRequest container = requests.get(i);
            if (container.kind() != ContainerRequest.Kind.PLAIN_INIT) {
                PredictedContainer holds = admitted.containers().get(i);
                boolean sharesCpus = !podCpus.isEmpty() && cpus().orElseThrow().exclusiveCpus(pod, container) == 0;
                boolean sharesMemory =
                        !podMemory.isEmpty() && memory().orElseThrow().sharesInPod(pod, container);
                containers.add(new ContainerAllocation(
                        container.name(),
                        sharesCpus ? CpuSet.EMPTY : holds.cpus(),
                        sharesMemory ? List.of() : holds.memory(),
                        holds.devices()));
            }
        }
        int slash = pod.name().indexOf('/');
        return new PodAllocation(
                pod.name().substring(0, Math.max(0, slash)),
                pod.name().substring(slash + 1),
                containers,
                podCpus,
                podMemory);
    }

    /**
     * Predicts the decision on a pod. Removes stale state first, as the kubelet does. Where the kubelet draws devices, the lowest ids are
     * taken.
     */
    public Decision admit(NodeState state, PodRequest pod) {
        return admit(state, pod, DeviceDraws.lowest(), false);
    }

    /**
     * Predicts the decision of a kubelet that was started again on a pod that it has admitted before and that runs: all its containers
     * but the plain init containers, which have ended. The kubelet has not heard of all its pods yet.
     */
    public Decision readmit(NodeState state, PodRequest pod) {
        return admit(state, pod, DeviceDraws.lowest(), true);
    }

    /** Predicts the decisions on a pod that the kubelet may take, the one of {@link #admit} first. */
    public PossibleDecisions possibleDecisions(NodeState state, PodRequest pod) {
        List<Decision> decisions = new ArrayList<>();
        boolean complete = true;
        for (Optional<DeviceDraws> next = Optional.of(DeviceDraws.lowest()); next.isPresent(); ) {
            DeviceDraws draws = next.get();
            decisions.add(admit(state, pod, draws, false));
            next = draws.next();
            complete &= draws.isComplete();
            if (decisions.size() == PossibleDecisions.MAX && next.isPresent()) {
                return new PossibleDecisions(decisions, false);
            }
        }
        return new PossibleDecisions(decisions, complete);
    }

    private Decision admit(NodeState state, PodRequest pod, DeviceDraws draws, boolean runs) {
        if (managers.isEmpty()) {
            return new Decision(new Admission.Unsupported(unsupported.orElseThrow()), state);
        }
        NodeState cleaned = removeStaleState(state);
        try {
            return new PodAdmission(managers.get(), pod, cleaned, draws, runs).decide();
        } catch (TooManyMasksException tooMany) {
            return new Decision(new Admission.Unsupported(String.valueOf(tooMany.getMessage())), cleaned);
        } catch (KubeletFailureException breaks) {
            return new Decision(
                    new Admission.KubeletFailure(breaks.kind(), String.valueOf(breaks.getMessage())), cleaned);
        }
    }

    /**
     * The state once all containers of an admitted pod have started and its plain init containers have ended: the memory of these
     * is free again, their CPUs and devices stay allocated until the pod ends.
     */
    public NodeState started(NodeState state, PodRequest pod) {
        return new NodeState(
                state.cpus(),
                state.memory().map(held -> memory().orElseThrow().initContainersEnded(held, pod)),
                state.devices(),
                state.stale());
    }

    /** The state after the pod has ended. The next admission removes its allocations. */
    public NodeState ended(NodeState state, String pod) {
        return state.withStale(pod);
    }

    /**
     * Removes the allocations of stale pods, as the kubelet does before each admission. The kubelet frees memory of several such
     * pods in overlapping groups in random order; the model does it by name.
     */
    public NodeState removeStaleState(NodeState state) {
        if (managers.isEmpty()) {
            return empty();
        }
        NodeState left = state;
        for (String pod : state.stale()) {
            left = new NodeState(
                    left.cpus().map(held -> cpus().orElseThrow().release(held, pod)),
                    left.memory().map(held -> memory().orElseThrow().release(held, pod)),
                    managers.get().devices().release(left.devices(), pod),
                    Collections.emptySortedSet());
        }
        return left;
    }
}
