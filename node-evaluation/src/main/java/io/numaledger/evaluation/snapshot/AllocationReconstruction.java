package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.evaluation.snapshot.InitContainerAllocations.Kept;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reconstructs the allocations of a node's kubelet, pod by pod, each from the best record that the pod has.
 *
 * <table>
 * <caption>what a pod is assumed to hold</caption>
 * <tr><th>record</th><th>allocation</th></tr>
 * <tr><td>{@code numaledger.io/placement}</td><td>exactly that; with plain init containers, {@link InitContainerAllocations what they keep} as well</td></tr>
 * <tr><td>{@code kai.scheduler/numa-placement-observed}</td><td>what the model predicts if the amounts are the same, else any
 * CPUs and devices of the zones</td></tr>
 * <tr><td>reservation of this bridge</td><td>exactly that; other CPUs of the same zones if another pod was observed on its CPUs</td></tr>
 * <tr><td>{@code kai.scheduler/numa-placement-predicted}</td><td>as with the observed one</td></tr>
 * <tr><td>none, not running yet</td><td>what the model predicts</td></tr>
 * <tr><td>none, running</td><td>what is missing from the topology's available amounts, for all such pods together; before the
 * node publishes anything about them, what the model predicts as well</td></tr>
 * </table>
 */
final class AllocationReconstruction {

    private final KubeletModel kubelet;
    private final NodeTopology topology;
    private final Allocations allocations;
    private final InitContainerAllocations initContainers;
    private final PartialRecords partial;
    private final HeldDevices heldDevices;
    private final PublishedUse published;
    private final SortedSet<Assumption> assumptions = new TreeSet<>();
    private final List<String> all = new ArrayList<>();
    private final List<PodHolding> pods = new ArrayList<>();
    private final List<PodFacts> unobserved = new ArrayList<>();
    private final List<PodFacts> unrecorded = new ArrayList<>();
    private final List<Kept> keeping = new ArrayList<>();
    private final List<PartialRecord> partialRecords = new ArrayList<>();
    private boolean ordered;
    private NodeState state;

    /** @param missing resource → amount */
    private record PartialRecord(PodFacts pod, SortedMap<String, Long> missing) {}

    AllocationReconstruction(KubeletModel kubelet, NodeTopology topology) {
        this(kubelet, topology, HeldDevices.of(topology));
    }

    private AllocationReconstruction(KubeletModel kubelet, NodeTopology topology, HeldDevices heldDevices) {
        this.kubelet = kubelet;
        this.topology = topology;
        this.allocations = new Allocations(kubelet);
        this.initContainers = new InitContainerAllocations(kubelet);
        this.partial = new PartialRecords(kubelet);
        this.heldDevices = heldDevices;
        this.state = kubelet.empty();
        this.published = new PublishedUse(kubelet, topology, allocations);
    }

    /** This reconstruction for another topology that {@link #isFor} accepts. */
    @SuppressWarnings("ReferenceEquality")
    AllocationReconstruction on(NodeTopology of) {
        return topology == of ? this : copy(of, HeldDevices.of(of));
    }

    /** A copy with the same pods, to which others can be added. Changes of the original or of the copy do not concern the other. */
    AllocationReconstruction copy() {
        return copy(topology, heldDevices);
    }

    private AllocationReconstruction copy(NodeTopology of, HeldDevices devices) {
        AllocationReconstruction copy = new AllocationReconstruction(kubelet, of, devices);
        copy.assumptions.addAll(assumptions);
        copy.all.addAll(all);
        copy.pods.addAll(pods);
        copy.unobserved.addAll(unobserved);
        copy.unrecorded.addAll(unrecorded);
        copy.keeping.addAll(keeping);
        copy.partialRecords.addAll(partialRecords);
        copy.ordered = ordered;
        copy.state = state;
        return copy;
    }

    /** Whether observed pods would be added to a new reconstruction for this node in the same way. */
    @SuppressWarnings("ReferenceEquality") // nodes of one type share the model
    boolean isFor(KubeletModel other, NodeTopology of) {
        return kubelet == other
                && recordsHaveInitContainers() == recordsHaveInitContainers(of)
                && HeldDevices.areEqual(topology, of);
    }

    /**
     * Whether the result may depend on the order of the pods, apart from their devices: what one of them holds depends on those before it, or
     * is more than it took.
     */
    boolean isOrdered() {
        return ordered;
    }

    NodeState state() {
        return state;
    }

    /** What pods hold, and the CPUs that the kubelet gives to nobody. */
    List<PodHolding> pods() {
        return published.held(pods);
    }

    SortedSet<Assumption> assumptions() {
        return assumptions;
    }

    /** Adds a pod if it is observed. Call it for all pods first, the most certain ones first. */
    void addObserved(PodFacts pod) {
        all.add(pod.key());
        try {
            if (!addFromObservation(pod)) {
                unobserved.add(pod);
            }
        } catch (IllegalArgumentException e) {
            ordered = true;
            assumptions.add(Assumption.ofPod(Kind.RECORD_CONFLICT, pod.key(), String.valueOf(e.getMessage())));
            unobserved.add(pod);
        }
    }

    /** Removes pods as if they had not been added. Only if the reconstruction is not {@link #isOrdered ordered}. */
    void remove(SortedSet<String> keys) {
        state = NodeSnapshot.ended(kubelet, state, keys);
        pods.removeIf(held -> keys.contains(held.key()));
    }

    /** The pods were added, each in the order of this list or at the end. */
    void sort(List<PodFacts> observed) {
        Map<String, PodHolding> byKey = pods.stream().collect(Collectors.toMap(PodHolding::key, Function.identity()));
        all.clear();
        pods.clear();
        for (PodFacts pod : observed) {
            all.add(pod.key());
            Optional.ofNullable(byKey.get(pod.key())).ifPresent(pods::add);
        }
    }

    /** Adds all other pods. An observation wins over a prediction that contradicts it. */
    void addOthers(Map<String, PredictedAllocation> reserved) {
        unobserved.sort(PodFacts.BY_AGE);
        unobserved.removeIf(this::holdsOnlyForInitContainers);
        addKept();
        addRemainders();
        for (PodFacts pod : unobserved) {
            Optional<PredictedAllocation> own = Optional.ofNullable(reserved.get(pod.key()));
            try {
                if (!addReserved(pod, own) && !addPredicted(pod)) {
                    unrecorded.add(pod);
                }
            } catch (IllegalArgumentException e) {
                if (!addExpected(pod)) {
                    assumptions.add(Assumption.ofPod(Kind.RECORD_CONFLICT, pod.key(), String.valueOf(e.getMessage())));
                    unrecorded.add(pod);
                }
            }
            addKept();
            addRemainders();
        }
        addUnrecorded();
    }

    /** Adds a pod where the model places it after the others. */
    private boolean addExpected(PodFacts pod) {
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission() instanceof Admitted admitted) {
            PodAllocation running = kubelet.listed(pod.request(), admitted);
            assumptions.add(Assumption.ofPod(Kind.NOT_YET_SEEN, pod.key()));
            take(pod, PlacementSource.EXPECTED, running, kubelet.started(decision.state(), pod.request()));
            return true;
        }
        return false;
    }

    private boolean addFromObservation(PodFacts pod) {
        Optional<PlacementRecord<PodAllocation>> exact = pod.records().placement();
        if (exact.isPresent()) {
            // Under the name of the pod that is counted, which is not that of its record once the pod is deleted.
            PodAllocation held = believed(exact.get()).of(pod.namespace(), pod.name());
            if (!pod.terminating() || stillHolds(held)) {
                addExactly(pod, held, PlacementSource.OBSERVED_EXACTLY, PredictedAllocation.of(pod));
                complete(pod, partial.missing(pod, held));
            }
            return true;
        }
        ordered = true;
        Optional<PlacementRecord<Placement>> observed = pod.records().observed();
        observed.ifPresent(record -> addAmounts(pod, record.require(), PlacementSource.OBSERVED));
        return observed.isPresent();
    }

    /**
     * What a record says. One with more CPUs than are allocated is believed where the kubelet leaves resized containers their CPUs, and
     * the agent's zones show that somebody holds so many CPUs more than the pods that were added before.
     */
    private PodAllocation believed(PlacementRecord<PodAllocation> record) {
        PlacementRecord<PodAllocation> resized = record.afterResize();
        boolean confirmed = readsZones()
                && resized.believed()
                        .filter(held -> {
                            Placement unexplained = published.unexplained(state, pods);
                            return kubelet.machine().topology().numaNodes().stream()
                                    .allMatch(numaNode -> numaNode.cpus()
                                                            .intersect(held.allCpus())
                                                            .size()
                                                    * 1000L
                                            <= unexplained.on(numaNode.id()).get(Amounts.CPU));
                        })
                        .isPresent();
        return (confirmed ? resized : record).require();
    }

    /** Whether records may have other amounts of CPUs than the kubelet has allocated, so that the agent's zones decide. */
    private boolean readsZones() {
        return kubelet.rules().acceptsResizeOfExclusiveCpus() && topology.isFromAgent();
    }

    /** Whether no other pod holds CPUs of it that have one holder only. If one does, the kubelet has freed the resources of this pod. */
    private boolean stillHolds(PodAllocation held) {
        return state.cpus().stream().allMatch(cpus -> {
            CpuSet givenTwice = kubelet.cpus().orElseThrow().maybeGivenTwice();
            return cpus.shared().containsAll(held.allCpus().minus(givenTwice));
        });
    }

    private boolean addReserved(PodFacts pod, Optional<PredictedAllocation> reserved) {
        reserved.ifPresent(held -> {
            assumptions.add(Assumption.ofPod(Kind.NOT_YET_SEEN, pod.key()));
            PodAllocation here = isPredictedAgain(pod, held.running())
                    ? held.running()
                    : allocations.withFreeCpus(state, held.running());
            addExactly(pod, here, PlacementSource.RESERVED, reserved);
        });
        return reserved.isPresent();
    }

    /** Whether the kubelet would give these CPUs although others hold some of them. */
    private boolean isPredictedAgain(PodFacts pod, PodAllocation held) {
        return !CpusCountedTwice.mayGiveNoneTwice(kubelet)
                && kubelet.admit(state, pod.request()).admission() instanceof Admitted admitted
                && kubelet.listed(pod.request(), admitted).allCpus().equals(held.allCpus());
    }

    private boolean addPredicted(PodFacts pod) {
        Optional<PlacementRecord<Placement>> predicted = pod.records().predicted();
        if (predicted.isPresent()) {
            assumptions.add(Assumption.ofPod(Kind.NOT_YET_SEEN, pod.key()));
            addAmounts(pod, predicted.get().require(), PlacementSource.PREDICTED);
            return true;
        }
        return false;
    }

    private void addExactly(
            PodFacts pod, PodAllocation held, PlacementSource source, Optional<PredictedAllocation> predicted) {
        boolean observed = source == PlacementSource.OBSERVED_EXACTLY;
        PodAllocation own =
                allocations.withOwnDevices(state, held, device -> observed && heldDevices.isUnhealthy(device));
        boolean known = observed && recordsHaveInitContainers();
        Optional<Kept> kept = known ? Optional.empty() : initContainers.find(state, pod, own, predicted);
        if (observed && !known && initContainers.mayKeep(pod)) {
            ordered = true;
            assumptions.add(Assumption.ofPod(Kind.INIT_CONTAINERS, pod.key()));
        }
        List<DeviceAllocation> recorded = observed
                ? held.containers().stream()
                        .flatMap(container -> container.devices().stream())
                        .toList()
                : List.of();
        NodeState after = kubelet.holding(state, pod.key(), own);
        ordered |= kept.isPresent() || !takesItsOwn(own, after);
        take(pod, source, own, after, recorded);
        kept.ifPresent(keeping::add);
    }

    /** Whether nobody else holds these CPUs, and each block of memory is of one zone, which has as much. */
    private boolean takesItsOwn(PodAllocation held, NodeState after) {
        List<MemoryBlock> blocks = held.allMemory();
        long bytes = blocks.stream().mapToLong(MemoryBlock::sizeBytes).sum();
        return state.cpus().stream().allMatch(cpus -> cpus.shared().containsAll(held.allCpus()))
                && (state.memory().isEmpty()
                        || (blocks.stream().allMatch(block -> block.numaNodes().size() == 1)
                                && free(state) - free(after) == bytes));
    }

    private static long free(NodeState state) {
        return state.memory().orElseThrow().nodes().values().stream()
                .flatMap(memory -> memory.free().values().stream())
                .mapToLong(Long::longValue)
                .sum();
    }

    private boolean recordsHaveInitContainers() {
        return recordsHaveInitContainers(topology);
    }

    private static boolean recordsHaveInitContainers(NodeTopology topology) {
        return TopologyAttributes.readsStateFiles(topology.attributes());
    }

    /** Adds what init containers keep. All allocations with known ids are added before, so that these get other ids. */
    private void addKept() {
        for (Kept kept : keeping) {
            assumptions.add(Assumption.ofPod(Kind.INIT_CONTAINERS, kept.pod().key()));
            state = initContainers.add(state, kept);
        }
        keeping.clear();
    }

    /** A pod whose running containers hold nothing may still hold what its init containers had. */
    private boolean holdsOnlyForInitContainers(PodFacts pod) {
        if (!InitContainerAllocations.hasInitContainers(pod)
                || !(kubelet.admit(state, pod.request()).admission() instanceof Admitted admitted)) {
            return false;
        }
        PodAllocation running = kubelet.listed(pod.request(), admitted);
        Optional<Kept> kept = initContainers
                .find(state, pod, running, PredictedAllocation.of(pod))
                .filter(any -> running.isEmpty());
        kept.ifPresent(keeping::add);
        return kept.isPresent();
    }

    private void addAmounts(PodFacts pod, Placement placement, PlacementSource source) {
        boolean observed = source == PlacementSource.OBSERVED && topology.isFromAgent();
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission() instanceof Admitted admitted
                && !(observed && allocations.hasUnhealthy(state, placement))) {
            PodAllocation running = kubelet.listed(pod.request(), admitted);
            NodeState after = kubelet.started(decision.state(), pod.request());
            if (matches(placement, running, after)) {
                assumptions.add(Assumption.ofPod(Kind.HELD_BY_COUNT, pod.key()));
                take(pod, source, running, after);
                return;
            }
        }
        assumptions.add(Assumption.ofPod(Kind.HELD_BY_COUNT, pod.key()));
        PodAllocation any = allocations.ofAmounts(state, pod.namespace(), pod.name(), placement, observed);
        take(pod, source, any, kubelet.holding(state, pod.key(), any));
        complete(pod, partial.missing(pod, placement));
    }

    private void complete(PodFacts pod, SortedMap<String, Long> missing) {
        if (!missing.isEmpty()) {
            ordered = true;
            partialRecords.add(new PartialRecord(pod, missing));
        }
    }

    /**
     * Adds what records leave out, where the model places their pods. All exact allocations are added before. A container whose CPUs were
     * left as they were by a resize has fewer than are allocated: then the zones show no others.
     */
    private void addRemainders() {
        for (PartialRecord record : partialRecords) {
            SortedMap<String, Long> missing = new TreeMap<>(record.missing());
            if (readsZones()) {
                long held = published.unexplained(state, pods).zones().values().stream()
                        .mapToLong(zone -> zone.get(Amounts.CPU))
                        .sum();
                missing.computeIfPresent(Amounts.CPU, (cpu, amount) -> Math.min(amount, held));
                missing.values().removeIf(amount -> amount == 0);
            }
            if (!missing.isEmpty()) {
                assumptions.add(
                        Assumption.ofPod(Kind.PARTIAL_RECORD, record.pod().key()));
                addRemainder(record.pod(), missing);
            }
        }
        partialRecords.clear();
    }

    private void addRemainder(PodFacts pod, SortedMap<String, Long> missing) {
        NodeState without = kubelet.removeStaleState(kubelet.ended(state, pod.key()));
        Decision decision = kubelet.admit(without, pod.request());
        if (decision.admission() instanceof Admitted admitted) {
            NodeState after = kubelet.started(decision.state(), pod.request());
            Placement predicted = allocations.placement(without, after, kubelet.listed(pod.request(), admitted));
            PodAllocation rest = allocations.ofAmounts(
                    state,
                    pod.namespace(),
                    pod.name(),
                    PartialRecords.remainder(missing, predicted),
                    topology.isFromAgent());
            take(pod, PlacementSource.EXPECTED, rest, kubelet.holding(state, pod.key(), rest));
        }
    }

    /** Whether the record has the predicted amounts; memory over several zones may be missing from it. */
    private boolean matches(Placement record, PodAllocation running, NodeState after) {
        Placement full = allocations.placement(state, after, running);
        if (full.equals(record)) {
            return true;
        }
        boolean shares =
                running.allMemory().stream().anyMatch(block -> block.numaNodes().size() > 1);
        if (!shares || !withoutMemory(full).equals(withoutMemory(record))) {
            return false;
        }
        assumptions.add(Assumption.of(Kind.MEMORY_GROUPS));
        return true;
    }

    private static Placement withoutMemory(Placement placement) {
        Placement.Builder kept = new Placement.Builder();
        placement
                .zones()
                .forEach((id, amounts) -> amounts.byResource().forEach((resource, amount) -> {
                    if (resource.equals(Amounts.CPU) || ResourceKind.of(resource) == ResourceKind.DEVICE) {
                        kept.add(id, resource, amount);
                    }
                }));
        return kept.build();
    }

    private void take(PodFacts pod, PlacementSource source, PodAllocation held, NodeState after) {
        take(pod, source, held, after, List.of());
    }

    private void take(
            PodFacts pod,
            PlacementSource source,
            PodAllocation held,
            NodeState after,
            List<DeviceAllocation> recorded) {
        Placement computed = allocations.placement(state, after, held);
        // One object for both: mostly they are equal, and a cluster has one for each pod.
        Placement placement = pod.records()
                .observed()
                .flatMap(PlacementRecord::believed)
                .filter(computed::equals)
                .orElse(computed);
        state = after;
        if (!placement.isEmpty()) {
            pods.add(new PodHolding(pod.key(), source, pod.terminating(), placement, recorded));
        }
    }

    /** Adds pods without any record, after all others. */
    private void addUnrecorded() {
        List<PodFacts> unknown = new ArrayList<>();
        for (PodFacts pod : unrecorded) {
            if (!pod.needsAlignment()) {
                continue;
            }
            Decision decision = kubelet.admit(state, pod.request());
            if (decision.admission() instanceof Admitted admitted) {
                PodAllocation running = kubelet.listed(pod.request(), admitted);
                boolean holdsNothing = running.isEmpty();
                boolean expected = !pod.running() || sharesMemoryOnly(running);
                if (!holdsNothing && expected) {
                    Kind kind = pod.running() ? Kind.MEMORY_GROUPS : Kind.NOT_YET_SEEN;
                    assumptions.add(Assumption.ofPod(kind, pod.key()));
                    take(pod, PlacementSource.EXPECTED, running, kubelet.started(decision.state(), pod.request()));
                }
                if (holdsNothing || expected) {
                    continue;
                }
            }
            unknown.add(pod);
        }
        for (PodFacts pod : unknown) {
            assumptions.add(Assumption.ofPod(Kind.NO_RECORD, pod.key()));
        }
        if (unknown.isEmpty() && published.showsCpusCountedTwice(state, all, pods)) {
            addMissing(Holder.UNKNOWN, PlacementSource.AGGREGATE, false);
        }
        if (!unknown.isEmpty()) {
            if (!published.shows(unknown, state, all, pods)) {
                unknown.forEach(this::addExpected);
            }
            addMissing(
                    unknown.size() == 1 ? unknown.get(0).key() : Holder.UNKNOWN,
                    PlacementSource.AGGREGATE,
                    unknown.stream().allMatch(PodFacts::terminating));
        }
    }

    /** KAI's exporter writes no record for such a pod. */
    private static boolean sharesMemoryOnly(PodAllocation running) {
        return running.allCpus().isEmpty()
                && running.containers().stream()
                        .allMatch(container -> container.devices().isEmpty())
                && running.allMemory().stream()
                        .allMatch(block -> block.numaNodes().size() > 1);
    }

    /**
     * Adds what is missing from the available amounts beyond the known allocations.
     *
     * @param terminating whether all pods terminate that hold it together
     */
    void addMissing(String key, PlacementSource source, boolean terminating) {
        Placement unassigned = published.unexplained(state, pods);
        if (!unassigned.isEmpty()) {
            int slash = key.indexOf('/');
            PodAllocation any = allocations.ofAmounts(
                    state,
                    key.substring(0, Math.max(0, slash)),
                    key.substring(slash + 1),
                    unassigned,
                    topology.isFromAgent());
            state = kubelet.holding(state, any.key(), any);
            pods.add(new PodHolding(key, source, terminating, unassigned, List.of()));
        }
    }
}
