package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.evaluation.snapshot.InitContainerAllocations.Kept;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

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
    private final AddedAllocations added;
    private final List<String> all = new ArrayList<>();
    private final List<PodFacts> unobserved = new ArrayList<>();
    private final List<PodFacts> unrecorded = new ArrayList<>();
    private final List<Kept> keeping = new ArrayList<>();
    private final List<PartialRecord> partialRecords = new ArrayList<>();
    private boolean ordered;

    /** @param missing resource → amount */
    private record PartialRecord(PodFacts pod, SortedMap<String, Long> missing) {}

    AllocationReconstruction(KubeletModel kubelet, NodeTopology topology) {
        this(kubelet, topology, HeldDevices.of(topology), new AddedAllocations(kubelet, new Allocations(kubelet)));
    }

    private AllocationReconstruction(
            KubeletModel kubelet, NodeTopology topology, HeldDevices heldDevices, AddedAllocations added) {
        this.kubelet = kubelet;
        this.topology = topology;
        this.allocations = new Allocations(kubelet);
        this.initContainers = new InitContainerAllocations(kubelet);
        this.partial = new PartialRecords(kubelet);
        this.heldDevices = heldDevices;
        this.published = new PublishedUse(kubelet, topology, allocations);
        this.added = added;
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
        AllocationReconstruction copy = new AllocationReconstruction(kubelet, of, devices, added.copy());
        copy.all.addAll(all);
        copy.unobserved.addAll(unobserved);
        copy.unrecorded.addAll(unrecorded);
        copy.keeping.addAll(keeping);
        copy.partialRecords.addAll(partialRecords);
        copy.ordered = ordered;
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
        return added.state();
    }

    /** What pods hold, and the CPUs that the kubelet gives to nobody. */
    List<PodHolding> pods() {
        return published.held(added.pods());
    }

    SortedSet<Assumption> assumptions() {
        return added.assumptions();
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
            added.assumeConflict(pod, e);
            unobserved.add(pod);
        }
    }

    /** Removes pods as if they had not been added. Only if the reconstruction is not {@link #isOrdered ordered}. */
    void remove(SortedSet<String> keys) {
        added.remove(keys);
    }

    /** The pods were added, each in the order of this list or at the end. */
    void sort(List<PodFacts> observed) {
        all.clear();
        observed.forEach(pod -> all.add(pod.key()));
        added.sort(all);
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
                if (!added.addExpected(pod)) {
                    added.assumeConflict(pod, e);
                    unrecorded.add(pod);
                }
            }
            addKept();
            addRemainders();
        }
        new UnrecordedPods(kubelet, topology, published, added).add(unrecorded, all);
    }

    /** Adds what is missing from the available amounts, whichever pods hold it. */
    void addMissing() {
        new UnrecordedPods(kubelet, topology, published, added).addMissing(Holder.UNKNOWN, false);
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
                            Placement unexplained = published.unexplained(added.state(), added.pods());
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
        return added.state().cpus().stream().allMatch(cpus -> {
            CpuSet givenTwice = kubelet.cpus().orElseThrow().maybeGivenTwice();
            return cpus.shared().containsAll(held.allCpus().minus(givenTwice));
        });
    }

    private boolean addReserved(PodFacts pod, Optional<PredictedAllocation> reserved) {
        reserved.ifPresent(held -> {
            added.assume(Kind.NOT_YET_SEEN, pod);
            PodAllocation here = isPredictedAgain(pod, held.running())
                    ? held.running()
                    : allocations.withFreeCpus(added.state(), held.running());
            addExactly(pod, here, PlacementSource.RESERVED, reserved);
        });
        return reserved.isPresent();
    }

    /** Whether the kubelet would give these CPUs although others hold some of them. */
    private boolean isPredictedAgain(PodFacts pod, PodAllocation held) {
        return !CpusCountedTwice.mayGiveNoneTwice(kubelet)
                && kubelet.admit(added.state(), pod.request()).admission() instanceof Admitted admitted
                && kubelet.listed(pod.request(), admitted).allCpus().equals(held.allCpus());
    }

    private boolean addPredicted(PodFacts pod) {
        Optional<PlacementRecord<Placement>> predicted = pod.records().predicted();
        if (predicted.isPresent()) {
            added.assume(Kind.NOT_YET_SEEN, pod);
            addAmounts(pod, predicted.get().require(), PlacementSource.PREDICTED);
            return true;
        }
        return false;
    }

    private void addExactly(
            PodFacts pod, PodAllocation held, PlacementSource source, Optional<PredictedAllocation> predicted) {
        boolean observed = source == PlacementSource.OBSERVED_EXACTLY;
        PodAllocation own =
                allocations.withOwnDevices(added.state(), held, device -> observed && heldDevices.isUnhealthy(device));
        boolean known = observed && recordsHaveInitContainers();
        Optional<Kept> kept = known ? Optional.empty() : initContainers.find(added.state(), pod, own, predicted);
        if (observed && !known && initContainers.mayKeep(pod)) {
            ordered = true;
            added.assume(Kind.INIT_CONTAINERS, pod);
        }
        List<DeviceAllocation> recorded = observed
                ? held.containers().stream()
                        .flatMap(container -> container.devices().stream())
                        .toList()
                : List.of();
        NodeState after = kubelet.holding(added.state(), pod.key(), own);
        ordered |= kept.isPresent() || !takesItsOwn(own, after);
        added.take(pod, source, own, after, recorded);
        kept.ifPresent(keeping::add);
    }

    /** Whether nobody else holds these CPUs, and each block of memory is of one zone, which has as much. */
    private boolean takesItsOwn(PodAllocation held, NodeState after) {
        List<MemoryBlock> blocks = held.allMemory();
        long bytes = blocks.stream().mapToLong(MemoryBlock::sizeBytes).sum();
        return added.state().cpus().stream().allMatch(cpus -> cpus.shared().containsAll(held.allCpus()))
                && (added.state().memory().isEmpty()
                        || (blocks.stream().allMatch(block -> block.numaNodes().size() == 1)
                                && free(added.state()) - free(after) == bytes));
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
            added.assume(Kind.INIT_CONTAINERS, kept.pod());
            added.replaceState(initContainers.add(added.state(), kept));
        }
        keeping.clear();
    }

    /** A pod whose running containers hold nothing may still hold what its init containers had. */
    private boolean holdsOnlyForInitContainers(PodFacts pod) {
        if (!InitContainerAllocations.hasInitContainers(pod)
                || !(kubelet.admit(added.state(), pod.request()).admission() instanceof Admitted admitted)) {
            return false;
        }
        PodAllocation running = kubelet.listed(pod.request(), admitted);
        Optional<Kept> kept = initContainers
                .find(added.state(), pod, running, PredictedAllocation.of(pod))
                .filter(any -> running.isEmpty());
        kept.ifPresent(keeping::add);
        return kept.isPresent();
    }

    private void addAmounts(PodFacts pod, Placement placement, PlacementSource source) {
        boolean observed = source == PlacementSource.OBSERVED && topology.isFromAgent();
        if (!added.addAmounts(pod, placement, source, observed)) {
            complete(pod, partial.missing(pod, placement));
        }
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
                long held = published.unexplained(added.state(), added.pods()).zones().values().stream()
                        .mapToLong(zone -> zone.get(Amounts.CPU))
                        .sum();
                missing.computeIfPresent(Amounts.CPU, (cpu, amount) -> Math.min(amount, held));
                missing.values().removeIf(amount -> amount == 0);
            }
            if (!missing.isEmpty()) {
                added.addRemainder(record.pod(), missing, topology.isFromAgent());
            }
        }
        partialRecords.clear();
    }
}
