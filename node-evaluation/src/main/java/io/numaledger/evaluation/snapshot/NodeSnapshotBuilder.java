package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.holder.Holder;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.MemoryBlock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** Builds node snapshots from a node's objects and the bridge's reservations. Thread-safe. */
public final class NodeSnapshotBuilder {

    private static final int MAX_MODELS = 500;

    /** The most characters of the topologies of all models that are kept. Whoever writes one may write other ones all the time. */
    private static final long MAX_CHARACTERS = 32 << 20;

    private final SnapshotSettings settings;
    private final Map<ModelKey, NodeModel> models = new ConcurrentHashMap<>();
    private final AtomicLong characters = new AtomicLong();

    private static final Set<Assumption.Kind> OF_STATE =
            Set.of(Assumption.Kind.CPUS_GIVEN_TWICE, Assumption.Kind.MEMORY_HISTORY, Assumption.Kind.POD_LEVEL_REST);

    /** Everything that decides the model, without the node's name. */
    private record ModelKey(NodeFacts node, NodeTopology topology) {}

    public NodeSnapshotBuilder(SnapshotSettings settings) {
        this.settings = settings;
    }

    public SnapshotSettings settings() {
        return settings;
    }

    /** The model of a node's kubelet. It stays valid while Node and topology stay the same; nodes that publish the same share it. */
    public NodeModel model(NodeFacts node, Optional<NodeTopology> topology) {
        if (topology.isEmpty()) {
            return NodeModel.of(node, topology, settings);
        }
        ModelKey key = new ModelKey(node.anonymous(), NodeModel.decisive(topology.get()));
        NodeModel known = models.get(key);
        if (known != null) {
            return known;
        }
        NodeModel made = NodeModel.of(node, topology, settings);
        if (made.kubelet().isPresent()) {
            keep(key, made);
        }
        return made;
    }

    private void keep(ModelKey key, NodeModel made) {
        long more = key.topology().characters();
        if (models.size() > MAX_MODELS || characters.addAndGet(more) > MAX_CHARACTERS) {
            models.clear();
            characters.set(more);
        }
        models.put(key, made);
    }

    /**
     * Builds the snapshot of a node.
     *
     * @param pods the pods bound to the node; ended ones hold nothing
     * @param reserved pod key → what the bridge reserved for the pod
     * @param observed what the last build found that this node's observed pods hold
     * @param setAside the keys of the pods whose records are not believed
     * @param unknowns what is not known for now
     */
    public NodeSnapshot build(
            NodeFacts node,
            Optional<NodeTopology> topology,
            NodeModel model,
            Collection<PodFacts> pods,
            Map<String, PredictedAllocation> reserved,
            ObservedPods observed,
            Set<String> setAside,
            NodeUnknowns unknowns) {
        if (model.kubelet().isEmpty()) {
            return new NodeSnapshot(
                    node,
                    topology,
                    model,
                    Optional.empty(),
                    Optional.empty(),
                    Collections.emptySortedSet(),
                    List.of(),
                    Collections.emptySortedSet(),
                    Confidence.AGGREGATE,
                    unknowns,
                    settings.gpuLinks());
        }
        KubeletModel kubelet = model.kubelet().get();
        List<PodFacts> holding = new ArrayList<>(pods.stream()
                .filter(pod -> !pod.ended())
                .map(pod -> setAside.contains(pod.key()) ? pod.withoutRecords() : pod)
                .sorted(Comparator.comparing(NodeSnapshotBuilder::uncertainty).thenComparing(PodFacts.BY_AGE))
                .toList());
        AllocationReconstruction now = reconstruct(kubelet, topology.orElseThrow(), observed, holding, reserved);
        SortedSet<String> releasing = releasing(holding, now.pods());
        NodeState after = releasing.isEmpty() ? now.state() : NodeSnapshot.ended(kubelet, now.state(), releasing);
        TreeSet<Assumption> assumptions = new TreeSet<>(model.assumptions());
        assumptions.addAll(now.assumptions());
        unknowns.parts().forEach(part -> {
            assumptions.add(part.assumption());
            assumptions.remove(new Assumption(
                    Assumption.Kind.NO_DEVICE_PLUGIN,
                    Optional.empty(),
                    part.assumption().about()));
        });
        setAside.forEach(pod -> assumptions.add(Assumption.ofPod(Assumption.Kind.RECORD_CONFLICT, pod)));
        if (now.pods().isEmpty() && showsHolders(topology.orElseThrow())) {
            assumptions.add(Assumption.of(Assumption.Kind.PODS_MISSING));
        }
        assumptions.addAll(ofState(kubelet, now.state(), holding));
        return new NodeSnapshot(
                node,
                topology,
                model,
                Optional.of(now.state()),
                Optional.of(after),
                releasing,
                now.pods(),
                assumptions,
                confidence(assumptions, now.pods()),
                unknowns,
                settings.gpuLinks());
    }

    /** The assumptions that follow from what a kubelet has given to these pods. */
    private static SortedSet<Assumption> ofState(KubeletModel kubelet, NodeState state, Collection<PodFacts> pods) {
        SortedSet<Assumption> assumptions = new TreeSet<>();
        if (CpusCountedTwice.mayHappen(kubelet, state)) {
            assumptions.add(Assumption.of(Assumption.Kind.CPUS_GIVEN_TWICE));
        }
        if (hasMemoryHistory(kubelet, state)) {
            assumptions.add(Assumption.of(Assumption.Kind.MEMORY_HISTORY));
        }
        pods.stream()
                .filter(pod -> !kubelet.rules().version().listsPodsAsAWhole()
                        && kubelet.rules().placesAsAWhole(pod.request()))
                .forEach(pod -> assumptions.add(Assumption.ofPod(Assumption.Kind.POD_LEVEL_REST, pod.key())));
        return assumptions;
    }

    /**
     * A node whose kubelet has started with another configuration.
     *
     * @param before the node with the kubelet that ran before
     * @param node as its kubelet reports it now
     * @param topology as its agent publishes it now
     * @param state after the new kubelet has looked at its pods
     * @param pods that run on
     */
    public static NodeSnapshot restarted(
            NodeSnapshot before,
            NodeFacts node,
            NodeTopology topology,
            NodeModel model,
            NodeState state,
            Collection<PodFacts> pods) {
        Set<String> left = pods.stream().map(PodFacts::key).collect(Collectors.toSet());
        TreeSet<Assumption> assumptions = new TreeSet<>(before.assumptions());
        assumptions.removeAll(before.model().assumptions());
        assumptions.removeIf(each -> OF_STATE.contains(each.kind())
                || each.pod().filter(pod -> !left.contains(pod.toString())).isPresent());
        assumptions.addAll(model.assumptions());
        assumptions.addAll(ofState(model.kubelet().orElseThrow(), state, pods));
        List<PodHolding> held = before.pods().stream()
                .filter(pod -> left.contains(pod.key()) || pod.key().equals(Holder.UNKNOWN))
                .toList();
        return new NodeSnapshot(
                node,
                Optional.of(topology),
                model,
                Optional.of(state),
                Optional.of(state),
                Collections.emptySortedSet(),
                held,
                assumptions,
                confidence(assumptions, held),
                before.unknowns(),
                before.gpuLinks());
    }

    /** What several pods hold together becomes free when all of them terminate. */
    private static SortedSet<String> releasing(List<PodFacts> pods, List<PodHolding> holdings) {
        TreeSet<String> keys = new TreeSet<>();
        pods.stream().filter(PodFacts::terminating).map(PodFacts::key).forEach(keys::add);
        holdings.stream().filter(PodHolding::terminating).map(PodHolding::key).forEach(keys::add);
        return keys;
    }

    /** Sorts exact records first. Records of terminating pods may be outdated, and those that are not within bounds may be forged. */
    private static int uncertainty(PodFacts pod) {
        return pod.records()
                .placement()
                .map(exact -> pod.terminating() || exact.believed().isEmpty() ? 1 : 0)
                .orElse(2);
    }

    private AllocationReconstruction reconstruct(
            KubeletModel kubelet,
            NodeTopology topology,
            ObservedPods observed,
            List<PodFacts> pods,
            Map<String, PredictedAllocation> reserved) {
        if (settings.trustAvailable()) {
            AllocationReconstruction allocations = new AllocationReconstruction(kubelet, topology);
            allocations.addMissing();
            return allocations;
        }
        List<PodFacts> exact =
                pods.stream().takeWhile(pod -> uncertainty(pod) == 0).toList();
        AllocationReconstruction allocations = observed.of(exact, kubelet, topology);
        pods.subList(exact.size(), pods.size()).forEach(allocations::addObserved);
        allocations.addOthers(reserved);
        return allocations;
    }

    /** Whether the snapshot depends on the topology's available amounts. */
    public boolean readsAvailable(NodeSnapshot snapshot) {
        return settings.trustAvailable()
                || snapshot.model()
                        .kubelet()
                        .filter(kubelet -> kubelet.rules().acceptsResizeOfExclusiveCpus())
                        .isPresent()
                || snapshot.assumptions().stream()
                        .anyMatch(each -> each.kind() == Assumption.Kind.NO_RECORD
                                || each.kind() == Assumption.Kind.CPUS_GIVEN_TWICE
                                || each.kind() == Assumption.Kind.PODS_MISSING);
    }

    private static boolean showsHolders(NodeTopology topology) {
        return topology.numaZones().values().stream()
                .flatMap(zone -> zone.resources().entrySet().stream())
                .anyMatch(each -> each.getValue().isReadable()
                        && HeldDevices.amount(topology, each.getKey(), each.getValue()) > 0);
    }

    /** Kubelets that do not check groups when they allocate mix them, and keep them when all pods have ended. */
    private static boolean hasMemoryHistory(KubeletModel kubelet, NodeState state) {
        return state.memory()
                .filter(memory -> memory.nodes().size() > 1)
                .filter(memory -> !kubelet.rules().version().checksMemoryGroupsInAllocation()
                        || memory.byPod().values().stream().anyMatch(NodeSnapshotBuilder::spansZones))
                .isPresent();
    }

    private static boolean spansZones(SortedMap<String, List<MemoryBlock>> containers) {
        for (List<MemoryBlock> blocks : containers.values()) {
            for (MemoryBlock block : blocks) {
                if (block.numaNodes().size() > 1) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Confidence confidence(TreeSet<Assumption> assumptions, List<PodHolding> pods) {
        if (pods.stream().anyMatch(pod -> pod.source() == PlacementSource.AGGREGATE)) {
            return Confidence.AGGREGATE;
        }
        boolean observed = pods.stream().allMatch(pod -> pod.source() == PlacementSource.OBSERVED_EXACTLY);
        return assumptions.isEmpty() && observed ? Confidence.EXACT : Confidence.PREDICTED;
    }
}
