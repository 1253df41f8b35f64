package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.Refusal.Reason;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.admission.StepResult;
import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The CPU Manager's static policy on one machine (cm/cpumanager/policy_static.go). */
public final class CpuAllocator {

    private static final String CPU = "cpu";

    private final KubeletRules rules;
    private final CpuTopology topology;
    private final CpuRequests requests;
    private final CpuPicker pick;
    private final CpuSet reserved;
    private final CpuSet reservedCores;
    private final CpuSet givenTwice;
    private final CpuHints hints;
    private final CpuSet unheld;

    /**
     * The policy on a machine.
     *
     * @param unheld CPUs that are neither shared nor held by a pod
     * @throws StartupRefusedException when the reservation cannot be met
     */
    public CpuAllocator(KubeletRules rules, CpuTopology topology, CpuSet unheld) {
        this.rules = rules;
        this.topology = topology;
        this.requests = new CpuRequests(rules);
        this.pick = new CpuPicker(rules, topology);
        this.reserved = reserve();
        this.reservedCores = topology.itemsOf(Level.CORE, reserved).stream()
                .map(core -> topology.cpus(Level.CORE, core))
                .reduce(CpuSet.EMPTY, CpuSet::union);
        this.givenTwice = givenTwice();
        this.hints = new CpuHints(rules, topology, requests, reserved);
        this.unheld = unheld;
    }

    private CpuSet givenTwice() {
        if (rules.version().comparesItemsWithTheirOwnSize()) {
            return CpuSet.EMPTY;
        }
        CpuSet cores = rules.has(CpuOption.DISTRIBUTE_CPUS_ACROSS_CORES) ? CpuSet.EMPTY : aboveAverage(Level.CORE);
        // A container of one zone gets no whole socket that is larger than what is free of the zone.
        boolean withinZones = rules.topologyPolicy() == TopologyPolicyName.SINGLE_NUMA_NODE
                && !rules.has(CpuOption.ALIGN_BY_SOCKET)
                && topology.nests()
                && topology.count(Level.SOCKET) <= topology.count(Level.NUMA_NODE);
        return withinZones ? cores : cores.union(aboveAverage(Level.SOCKET));
    }

    private CpuSet aboveAverage(Level level) {
        return topology.items(level).values().stream()
                .filter(cpus -> cpus.size() > topology.averageSize(level))
                .reduce(CpuSet.EMPTY, CpuSet::union);
    }

    private CpuSet reserve() {
        var config = rules.config().cpuManager();
        if (!config.reservedCpus().isEmpty()) {
            return config.reservedCpus();
        }
        int count = Math.toIntExact((config.reservedCpuMillis().orElseThrow() + 999) / 1000);
        CpuSet cpus = pick.pick(topology.all(), count, 0) instanceof CpuPicker.Result.Taken taken
                ? taken.cpus()
                : CpuSet.EMPTY;
        if (cpus.size() == count) {
            return cpus;
        }
        throw new StartupRefusedException(
                "new static policy error: [cpumanager] unable to reserve the required amount of CPUs (size of %s did not equal %d)"
                        .formatted(cpus, count));
    }

    /** The CPUs that no container gets for itself. */
    public CpuSet reserved() {
        return reserved;
    }

    /**
     * The CPUs that a kubelet before 1.38 may give although another container holds them, or although they are reserved: those of cores
     * and sockets with more CPUs than the average one. Such a one is taken for free when it has as many free CPUs as the average, and is
     * given as a whole (cm/cpumanager/cpu_assignment.go, isCoreFree, isSocketFree).
     */
    public CpuSet maybeGivenTwice() {
        return givenTwice;
    }

    public CpuTopology topology() {
        return topology;
    }

    public CpuState empty() {
        CpuSet all = topology.all().minus(unheld);
        return CpuState.empty(rules.has(CpuOption.STRICT_CPU_RESERVATION) ? all.minus(reserved) : all);
    }

    /**
     * The state after a start over the file that an earlier kubelet has left.
     *
     * @throws StartupRefusedException with the kubelet's message, when it does not start over it
     */
    public CpuState startOver(CpuState file) {
        CpuStateCheck check = new CpuStateCheck(rules, reserved, topology.all());
        CpuState read = check.read(file);
        check.objection(read).ifPresent(error -> {
            throw new StartupRefusedException(error);
        });
        return read;
    }

    /**
     * The state in which these CPUs are taken.
     *
     * @throws IllegalArgumentException naming CPUs that do not exist, or are reserved or taken already and not {@link #maybeGivenTwice}
     */
    public CpuState hold(CpuState state, String pod, String container, CpuSet cpus) {
        requireFree(state, pod, container, cpus);
        return cpus.isEmpty() ? state : state.with(pod, container, cpus);
    }

    /**
     * The state in which the CPUs of a pod as a whole are taken. Its containers without CPUs of their own share the rest of them.
     *
     * @throws IllegalArgumentException as {@link #hold}
     */
    public CpuState holdPod(CpuState state, String pod, PodAllocation held) {
        requireFree(state, pod, PodAllocation.SHARING, held.cpus());
        if (held.cpus().isEmpty()) {
            return state;
        }
        CpuState after = state.withPodCpus(pod, held.cpus());
        CpuSet rest = held.cpus();
        for (ContainerAllocation container : held.containers()) {
            CpuSet part = container.cpus().intersect(rest);
            if (!part.isEmpty()) {
                after = after.withPart(pod, container.name(), part);
                rest = rest.minus(part);
            }
        }
        return rest.isEmpty() ? after : after.withPart(pod, PodAllocation.SHARING, rest);
    }

    private void requireFree(CpuState state, String pod, String container, CpuSet cpus) {
        CpuSet unknown = cpus.minus(topology.all());
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException(
                    "a container holds CPUs that this machine does not have: pod=%s container=%s cpus=%s; check whether it is recorded for another node"
                            .formatted(pod, container, unknown));
        }
        CpuSet taken = cpus.minus(state.shared().minus(reserved)).minus(givenTwice);
        if (!taken.isEmpty()) {
            throw new IllegalArgumentException(
                    "a container holds CPUs that are reserved or held by another: pod=%s container=%s cpus=%s; read the node's allocations again"
                            .formatted(pod, container, taken));
        }
    }

    public ProviderHints hints(CpuState state, PodRequest pod, ContainerRequest container) {
        return hints.ofContainer(state, pod, container);
    }

    public ProviderHints podHints(CpuState state, PodRequest pod) {
        return hints.ofPod(state, pod);
    }

    /** How many CPUs of its own the container gets; 0: none. */
    public int exclusiveCpus(PodRequest pod, ContainerRequest container) {
        return requests.leavesAlone(pod) ? 0 : requests.of(pod, container);
    }

    /** How many CPUs the pod needs at once for its own. */
    public int exclusiveCpus(PodRequest pod) {
        return requests.leavesAlone(pod) ? 0 : requests.ofPod(pod);
    }

    public StepResult<CpuState> allocate(
            CpuState state, PodRequest pod, ContainerRequest container, TopologyHint hint) {
        int count = exclusiveCpus(pod, container);
        if (count == 0) {
            return new StepResult.Done<>(state);
        }
        boolean held = state.holds(pod.name(), container.name());
        if (!(held && rules.version().looksUpCpusBeforeFullCores())) {
            Optional<Refusal> misaligned = checkWholeCores(state, count);
            if (misaligned.isPresent()) {
                return new StepResult.Failed<>(misaligned.get(), state);
            }
        }
        if (held) {
            return new StepResult.Done<>(reuse(state, container, state.heldBy(pod.name(), container.name())));
        }
        CpuPicker.Result picked = pick(state, count, hint, state.reusable());
        if (picked instanceof CpuPicker.Result.Taken taken) {
            CpuState after = state.with(pod.name(), container.name(), taken.cpus());
            return new StepResult.Done<>(reuse(after, container, taken.cpus()));
        }
        return new StepResult.Failed<>(shortOfCpus((CpuPicker.Result.Failed) picked, state, count), state);
    }

    /** Places a pod as a whole, then its containers inside that (AllocatePod). */
    public StepResult<CpuState> allocatePod(CpuState before, PodRequest pod, TopologyHint hint) {
        int count = requests.ofPod(pod);
        if (count == 0) {
            return new StepResult.Done<>(before);
        }
        PodPartition partition = new PodPartition(requests, pick, pod, nodesOf(hint));
        CpuSet remembered = requests.remembered(before, pod);
        if (!remembered.isEmpty() && before.canKeep(pod)) {
            return partition.complete(before, remembered);
        }
        CpuState state = remembered.isEmpty() ? before : before.released(pod.name());
        Optional<Refusal> refusal = new PodCpuBudget(requests, pod)
                .violation()
                .map(text -> new Refusal(
                        Reason.EMPTY_POD_SHARED_POOL,
                        Optional.of(text),
                        Optional.empty(),
                        List.of(resourceFit(state, count))))
                .or(() -> checkWholeCores(state, count));
        if (refusal.isPresent()) {
            return new StepResult.Failed<>(refusal.get(), state);
        }
        CpuPicker.Result picked = pick(state, count, hint, CpuSet.EMPTY);
        if (picked instanceof CpuPicker.Result.Taken taken) {
            return partition.divide(state.withPodCpus(pod.name(), taken.cpus()), taken.cpus());
        }
        return new StepResult.Failed<>(shortOfCpus((CpuPicker.Result.Failed) picked, state, count), state);
    }

    /** The most CPUs of its own that one container gets from one NUMA node alone. */
    public int largestRequest(CpuState state, int numaNode) {
        CpuSet pool = state.shared().minus(reserved);
        int free = pool.intersect(topology.cpus(Level.NUMA_NODE, numaNode)).size();
        if (!rules.has(CpuOption.FULL_PCPUS_ONLY)) {
            return free;
        }
        int most = rules.version().checksFreePhysicalCpus() ? Math.min(free, wholeCores(state)) : free;
        return most - most % topology.averageSize(Level.CORE);
    }

    /** The free CPUs of cores that have no reserved CPU. */
    private int wholeCores(CpuState state) {
        return state.shared().minus(reservedCores).size();
    }

    private Optional<Refusal> checkWholeCores(CpuState state, int count) {
        if (!rules.has(CpuOption.FULL_PCPUS_ONLY)) {
            return Optional.empty();
        }
        int perCore = topology.averageSize(Level.CORE);
        if (count % perCore != 0) {
            return Optional.of(smtAlignment(notAMultiple(count, perCore), state, count));
        }
        int whole = wholeCores(state);
        if (!rules.version().checksFreePhysicalCpus() || count <= whole) {
            return Optional.empty();
        }
        String message = whole == 0 && !rules.version().namesZeroFreePhysicalCpus()
                ? notAMultiple(count, perCore)
                : "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = %d, requested CPUs = %d, CPUs per core = %d"
                        .formatted(whole, count, perCore);
        return Optional.of(smtAlignment(message, state, count));
    }

    private static String notAMultiple(int count, int perCore) {
        return "SMT Alignment Error: requested %d cpus not multiple cpus per core = %d".formatted(count, perCore);
    }

    private Refusal smtAlignment(String message, CpuState state, int count) {
        int whole = wholeCores(state);
        ResourceFit fit = new ResourceFit(CPU, Optional.empty(), count, whole, 0, holders(state, topology.all()));
        return new Refusal(Reason.SMT_ALIGNMENT, Optional.of(message), Optional.empty(), List.of(fit));
    }

    private CpuPicker.Result pick(CpuState state, int count, TopologyHint hint, CpuSet reusable) {
        CpuSet pool = state.shared().minus(reserved).union(reusable);
        CpuSet result = CpuSet.EMPTY;
        if (hint.mask().isPresent()) {
            CpuSet aligned = pool.intersect(reach(hint.mask().get()));
            CpuPicker.Result first = pick.pick(aligned, Math.min(count, aligned.size()), nodesOf(hint));
            if (!(first instanceof CpuPicker.Result.Taken taken)) {
                return first;
            }
            result = taken.cpus();
        }
        CpuPicker.Result rest = pick.pick(pool.minus(result), count - result.size(), 0);
        return rest instanceof CpuPicker.Result.Taken taken
                ? new CpuPicker.Result.Taken(result.union(taken.cpus()))
                : rest;
    }

    private static int nodesOf(TopologyHint hint) {
        return hint.mask().map(AffinityMask::count).orElse(0);
    }

    private CpuSet reach(AffinityMask mask) {
        CpuSet cpus = topology.cpusOf(mask);
        if (!rules.has(CpuOption.ALIGN_BY_SOCKET)) {
            return cpus;
        }
        return topology.itemsOf(Level.SOCKET, cpus).stream()
                .map(socket -> topology.cpus(Level.SOCKET, socket))
                .reduce(CpuSet.EMPTY, CpuSet::union);
    }

    private CpuState reuse(CpuState state, ContainerRequest container, CpuSet cpus) {
        return state.withReusable(
                requests.isReusable(container)
                        ? state.reusable().union(cpus)
                        : state.reusable().minus(cpus));
    }

    private Refusal shortOfCpus(CpuPicker.Result.Failed answer, CpuState state, int count) {
        return Refusal.unexpected(answer.message(), resourceFit(state, count));
    }

    private ResourceFit resourceFit(CpuState state, int count) {
        CpuSet available = state.shared().minus(reserved).union(state.reusable());
        return new ResourceFit(CPU, Optional.empty(), count, available.size(), 0, holders(state, topology.all()));
    }

    /** The fit of the request, if no hint has the required width: the best mask of that width, and who holds CPUs there. */
    public ResourceFit resourceFit(CpuState state, int count, int width) {
        CpuSet available = state.shared().minus(reserved).union(state.reusable());
        AffinityMask mask = hints.roomiest(available, width);
        CpuSet there = topology.cpusOf(mask);
        return new ResourceFit(
                CPU, Optional.of(mask), count, available.intersect(there).size(), width, holders(state, there));
    }

    public int wantedWidth(int count) {
        return hints.wantedWidth(count);
    }

    private List<String> holders(CpuState state, CpuSet among) {
        Stream<String> pods = state.byPod().keySet().stream()
                .filter(pod -> !state.heldBy(pod).intersect(among).isEmpty());
        return (unheld.intersect(among).isEmpty() ? pods : Stream.concat(pods, Stream.of(CpuState.FILE))).toList();
    }

    /** Nothing is reusable any more. */
    public CpuState endOfAdmission(CpuState state) {
        return state.withReusable(CpuSet.EMPTY);
    }

    /** Gives back all that a pod holds. */
    public CpuState release(CpuState state, String pod) {
        return state.without(pod);
    }
}
