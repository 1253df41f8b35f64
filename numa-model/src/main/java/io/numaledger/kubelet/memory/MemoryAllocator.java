package io.numaledger.kubelet.memory;

import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.Refusal.Reason;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.admission.StepResult;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.resource.Hugepages;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** The Memory Manager's Static policy on one machine (cm/memorymanager/policy_static.go). */
public final class MemoryAllocator {

    private static final String MEMORY = MemoryRequests.MEMORY;

    private final KubeletRules rules;
    private final MemoryRequests requests;
    private final MemoryHints hints;
    private final AffinityChoice choice;
    private final MemoryState empty;

    public MemoryAllocator(KubeletRules rules, MachineTopology machine, AffinityMask numaNodes) {
        this.rules = rules;
        this.requests = new MemoryRequests(rules);
        this.hints = new MemoryHints(requests, numaNodes, rules.listsMasks());
        this.choice = new AffinityChoice(hints, rules.version().checksMemoryGroupsInAllocation());
        SortedMap<Integer, NumaMemory> nodes = new TreeMap<>();
        machine.numaNodes().forEach(node -> nodes.put(node.id(), atStart(rules, node)));
        this.empty = MemoryState.empty(nodes);
    }

    /** getDefaultMachineState. Unknown memory counts as none. */
    private static NumaMemory atStart(KubeletRules rules, NumaNode node) {
        SortedMap<String, Long> allocatable = new TreeMap<>();
        long memory =
                node.memoryBytes().orElse(0) - rules.config().memoryManager().reserved(node.id(), MEMORY);
        for (var pages : node.hugepages().entrySet()) {
            String type = Hugepages.resource(pages.getKey());
            long bytes = pages.getKey() * pages.getValue();
            allocatable.put(type, bytes - rules.config().memoryManager().reserved(node.id(), type));
            memory -= bytes;
        }
        allocatable.put(MEMORY, memory);
        return new NumaMemory(AffinityMask.of(node.id()), 0, allocatable, allocatable);
    }

    public MemoryState empty() {
        return empty;
    }

    /**
     * The state after a start over the file that an earlier kubelet has left.
     *
     * @throws StartupRefusedException with the kubelet's message, when it does not start over it
     */
    public MemoryState startOver(MemoryState file) {
        MemoryStateCheck check = new MemoryStateCheck(rules, empty);
        MemoryState read = check.read(file);
        check.objection(read).ifPresent(error -> {
            throw new StartupRefusedException(error);
        });
        return read;
    }

    /**
     * The state in which these blocks are taken.
     *
     * @throws IllegalArgumentException naming a block on NUMA nodes or of a type that do not exist here
     */
    public MemoryState hold(MemoryState state, String pod, String container, List<MemoryBlock> blocks) {
        MemoryState after = charge(state, pod, container, blocks);
        return blocks.isEmpty() ? state : after.with(pod, container, blocks);
    }

    /**
     * The state in which the memory of a pod as a whole is taken. The blocks of its containers are parts of it.
     *
     * @throws IllegalArgumentException as {@link #hold}
     */
    public MemoryState holdPod(MemoryState state, String pod, PodAllocation held) {
        if (held.memory().isEmpty()) {
            return state;
        }
        MemoryState after = charge(state, pod, PodAllocation.SHARING, held.memory())
                .withPodBlocks(pod, held.memory())
                .with(pod, PodAllocation.SHARING, List.of());
        for (ContainerAllocation container : held.containers()) {
            after = after.with(pod, container.name(), container.memory());
        }
        return after;
    }

    private static MemoryState charge(MemoryState state, String pod, String container, List<MemoryBlock> blocks) {
        MemoryState after = state;
        for (MemoryBlock block : blocks) {
            boolean known = !block.numaNodes().isEmpty()
                    && block.numaNodes().stream()
                            .allMatch(id -> state.nodes().containsKey(id)
                                    && state.nodes().get(id).knows(block.type()));
            if (!known) {
                throw new IllegalArgumentException(
                        "a container holds memory that this machine does not have: pod=%s container=%s type=%s numaNodes=%s; check whether it is recorded for another node"
                                .formatted(pod, container, block.type(), block.numaNodes()));
            }
            after = after.charge(AffinityMask.of(block.numaNodes()), block.type(), block.sizeBytes());
        }
        return after;
    }

    /**
     * The most bytes of each type that one container gets from one NUMA node, in whole pages. It gets none from a node of a group where the
     * Topology Manager's policy demands a preferred hint: a request that fits what is left there would fit one node of an empty machine.
     */
    public SortedMap<String, Long> largestRequests(MemoryState state, int numaNode) {
        NumaMemory node = requireNonNull(state.nodes().get(numaNode));
        boolean needsPreferredHint = rules.topologyPolicy() == TopologyPolicyName.RESTRICTED
                || rules.topologyPolicy() == TopologyPolicyName.SINGLE_NUMA_NODE;
        boolean none = needsPreferredHint && node.cells().count() > 1;
        SortedMap<String, Long> largest = new TreeMap<>();
        node.free().forEach((type, bytes) -> {
            long page = Hugepages.isResource(type) ? Hugepages.pageBytes(type) : 1;
            largest.put(type, none ? 0 : bytes - bytes % page);
        });
        return largest;
    }

    /** Whether a container of a pod that is placed as a whole has no memory of its own. */
    public boolean sharesInPod(PodRequest pod, ContainerRequest container) {
        return requests.of(pod, container).filter(bytes -> !bytes.isEmpty()).isEmpty();
    }

    public ProviderHints hints(MemoryState state, PodRequest pod, ContainerRequest container) {
        return hints.ofContainer(state, pod, container);
    }

    public ProviderHints podHints(MemoryState state, PodRequest pod) {
        return hints.ofPod(state, pod);
    }

    public StepResult<MemoryState> allocate(
            MemoryState state, PodRequest pod, ContainerRequest container, TopologyHint hint) {
        if (!pod.isGuaranteed() || requests.leavesAlone(pod, container)) {
            return new StepResult.Done<>(state);
        }
        if (state.holds(pod.name(), container.name())) {
            return new StepResult.Done<>(reuse(state, container, state.heldBy(pod.name(), container.name())));
        }
        Optional<SortedMap<String, Long>> request = requests.of(pod, container);
        if (request.isEmpty()) {
            return failed(state, MemoryRequests.UNREADABLE, new TreeMap<>());
        }
        AffinityChoice.Outcome chosen = choice.choose(state, request.get(), hint);
        return chosen.mask().isEmpty()
                ? failed(state, chosen.error().orElseThrow(), request.get())
                : new StepResult.Done<>(
                        take(state, pod, container, request.get(), chosen.mask().get()));
    }

    private MemoryState take(
            MemoryState state,
            PodRequest pod,
            ContainerRequest container,
            SortedMap<String, Long> request,
            AffinityMask mask) {
        MemoryState after = state;
        for (var wish : request.entrySet()) {
            long reused = Math.min(wish.getValue(), state.reusable().of(mask, wish.getKey()));
            after = after.charge(mask, wish.getKey(), wish.getValue() - reused);
        }
        List<MemoryBlock> blocks = blocks(mask, request);
        after = reuse(after, container, blocks).with(pod.name(), container.name(), blocks);
        return shrinkInitBlocks(after, pod, container, blocks);
    }

    static List<MemoryBlock> blocks(AffinityMask mask, SortedMap<String, Long> request) {
        List<Integer> nodes = mask.ids().boxed().toList();
        return request.entrySet().stream()
                .map(wish -> new MemoryBlock(wish.getKey(), wish.getValue(), nodes))
                .toList();
    }

    private MemoryState reuse(MemoryState state, ContainerRequest container, List<MemoryBlock> blocks) {
        return state.withReusable(
                requests.isReusable(container)
                        ? state.reusable().plus(blocks)
                        : state.reusable().minus(blocks));
    }

    /** What a container has of earlier init containers' memory is taken off their blocks, so that the pod's sum is right. */
    private MemoryState shrinkInitBlocks(
            MemoryState state, PodRequest pod, ContainerRequest container, List<MemoryBlock> blocks) {
        MemoryState after = state;
        for (MemoryBlock block : blocks) {
            long rest = block.sizeBytes();
            for (ContainerRequest init : pod.initContainers()) {
                if (init.name().equals(container.name())) {
                    break;
                }
                List<MemoryBlock> old = after.heldBy(pod.name(), init.name());
                if (requests.isReusable(init) && !old.isEmpty() && rest > 0) {
                    List<MemoryBlock> shrunk = shrink(old, block, rest);
                    rest -= sum(old) - sum(shrunk);
                    after = after.with(pod.name(), init.name(), shrunk);
                }
            }
        }
        return after;
    }

    private static List<MemoryBlock> shrink(List<MemoryBlock> old, MemoryBlock by, long bytes) {
        return old.stream()
                .map(block -> block.type().equals(by.type())
                                && block.numaNodes().equals(by.numaNodes())
                        ? new MemoryBlock(
                                block.type(), block.sizeBytes() - Math.min(block.sizeBytes(), bytes), block.numaNodes())
                        : block)
                .toList();
    }

    private static long sum(List<MemoryBlock> blocks) {
        return blocks.stream().mapToLong(MemoryBlock::sizeBytes).sum();
    }

    /** Places a pod as a whole, then its containers inside that (AllocatePod). */
    public StepResult<MemoryState> allocatePod(MemoryState state, PodRequest pod, TopologyHint hint) {
        Optional<SortedMap<String, Long>> total = requests.ofPod(pod);
        if (!pod.isGuaranteed() || total.isEmpty() || requests.keepsPod(state, pod)) {
            return new StepResult.Done<>(state);
        }
        Optional<String> violation = new PodMemoryBudget(requests, pod, total.get()).violation();
        if (violation.isPresent()) {
            ResourceFit fit = resourceFit(state, total.get(), Optional.empty(), 0);
            return new StepResult.Failed<>(
                    new Refusal(Reason.EMPTY_POD_SHARED_POOL, violation, Optional.empty(), List.of(fit)), state);
        }
        AffinityChoice.Outcome chosen = choice.choose(state, total.get(), hint);
        if (chosen.mask().isEmpty()) {
            return failed(state, chosen.error().orElseThrow(), total.get());
        }
        MemoryState after = state.withPodBlocks(pod.name(), blocks(chosen.mask().get(), total.get()));
        for (var wish : total.get().entrySet()) {
            after = after.charge(chosen.mask().get(), wish.getKey(), wish.getValue());
        }
        return new StepResult.Done<>(
                new PodMemoryPartition(requests, pod, chosen.mask().get()).divide(after, total.get()));
    }

    /** The plain init containers have ended, as the start of a later container shows (memory_manager.go, AddContainer). */
    public MemoryState initContainersEnded(MemoryState state, PodRequest pod) {
        MemoryState left = state;
        for (ContainerRequest init : pod.initContainers()) {
            if (requests.isReusable(init)) {
                left = left.without(pod.name(), init.name());
            }
        }
        return left;
    }

    /** Nothing is reusable any more. */
    public MemoryState endOfAdmission(MemoryState state) {
        return state.withReusable(ReusableMemory.NONE);
    }

    /** Gives back all that a pod holds. */
    public MemoryState release(MemoryState state, String pod) {
        return state.without(pod);
    }

    private static StepResult<MemoryState> failed(MemoryState state, String error, SortedMap<String, Long> request) {
        return new StepResult.Failed<>(
                Refusal.unexpected(error, resourceFit(state, request, Optional.empty(), 0)), state);
    }

    /** The numbers of the type that is shortest, over a mask or the whole node. */
    private static ResourceFit resourceFit(
            MemoryState state, SortedMap<String, Long> request, Optional<AffinityMask> mask, int width) {
        AffinityMask where = mask.orElseGet(() -> AffinityMask.of(state.nodes().keySet()));
        String shortest = request.keySet().stream()
                .min((a, b) -> Long.compare(
                        MemoryHints.free(state, where, a) - requireNonNull(request.get(a)),
                        MemoryHints.free(state, where, b) - requireNonNull(request.get(b))))
                .orElse(MEMORY);
        return new ResourceFit(
                shortest,
                mask,
                request.getOrDefault(shortest, 0L),
                MemoryHints.free(state, where, shortest),
                width,
                holders(state, where));
    }

    private static List<String> holders(MemoryState state, AffinityMask where) {
        return state.byPod().entrySet().stream()
                .filter(pod -> pod.getValue().values().stream()
                        .flatMap(List::stream)
                        .anyMatch(block -> block.numaNodes().stream().anyMatch(where::contains)))
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The fit of each memory type, if no hint has the required width; empty if the pod or container requests no memory of its own. */
    public Optional<ResourceFit> resourceFit(MemoryState state, PodRequest pod, Optional<ContainerRequest> container) {
        if (!pod.isGuaranteed() || requests.leavesAlone(pod)) {
            return Optional.empty();
        }
        return container
                .map(one -> requests.of(pod, one))
                .orElseGet(() -> requests.ofPod(pod))
                .filter(request -> !request.isEmpty())
                .map(request -> {
                    int width = hints.wantedWidth(state, request);
                    return resourceFit(state, request, hints.roomiest(state, width, request.lastKey()), width);
                });
    }
}
