package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.resource.ResourceKind;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the pods that were added to a node so far hold, the kubelet's state with them, and what was assumed for it. */
final class AddedAllocations {

    private final KubeletModel kubelet;
    private final Allocations allocations;
    private final SortedSet<Assumption> assumptions = new TreeSet<>();
    private final List<PodHolding> pods = new ArrayList<>();
    private NodeState state;

    AddedAllocations(KubeletModel kubelet, Allocations allocations) {
        this.kubelet = kubelet;
        this.allocations = allocations;
        this.state = kubelet.empty();
    }

    /** A copy to which others can be added. Changes of the original or of the copy do not concern the other. */
    AddedAllocations copy() {
        AddedAllocations copy = new AddedAllocations(kubelet, allocations);
        copy.assumptions.addAll(assumptions);
        copy.pods.addAll(pods);
        copy.state = state;
        return copy;
    }

    NodeState state() {
        return state;
    }

    List<PodHolding> pods() {
        return Collections.unmodifiableList(pods);
    }

    SortedSet<Assumption> assumptions() {
        return assumptions;
    }

    void assume(Kind kind, PodFacts pod) {
        assumptions.add(Assumption.ofPod(kind, pod.key()));
    }

    /** A pod's record contradicts what was added before. */
    void assumeConflict(PodFacts pod, IllegalArgumentException conflict) {
        assumptions.add(Assumption.ofPod(Kind.RECORD_CONFLICT, pod.key(), String.valueOf(conflict.getMessage())));
    }

    /** Removes pods as if they had not been added. */
    void remove(SortedSet<String> keys) {
        state = NodeSnapshot.ended(kubelet, state, keys);
        pods.removeIf(held -> keys.contains(held.key()));
    }

    /** Puts the pods into this order; others are left out. */
    void sort(List<String> keys) {
        Map<String, PodHolding> byKey = pods.stream().collect(Collectors.toMap(PodHolding::key, Function.identity()));
        pods.clear();
        keys.forEach(key -> Optional.ofNullable(byKey.get(key)).ifPresent(pods::add));
    }

    /** Replaces the kubelet's state: a pod that was added before holds more than its running containers do. */
    void replaceState(NodeState after) {
        state = after;
    }

    /** @param after the state once the pod holds this */
    void take(PodFacts pod, PlacementSource source, PodAllocation held, NodeState after) {
        take(pod, source, held, after, List.of());
    }

    /** @param recorded the devices that the pod's record names */
    void take(
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

    /** Adds a pod where the model places it after the others. Returns whether the model admits it. */
    boolean addExpected(PodFacts pod) {
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission() instanceof Admitted admitted) {
            PodAllocation running = kubelet.listed(pod.request(), admitted);
            assume(Kind.NOT_YET_SEEN, pod);
            take(pod, PlacementSource.EXPECTED, running, kubelet.started(decision.state(), pod.request()));
            return true;
        }
        return false;
    }

    /**
     * Adds a pod with a record of amounts: where the model places the pod if that has these amounts, else on any CPUs and devices of the zones.
     *
     * @param observed whether the agent has observed the amounts, which may be of unhealthy devices then
     * @return whether the model has these amounts
     */
    boolean addAmounts(PodFacts pod, Placement placement, PlacementSource source, boolean observed) {
        assume(Kind.HELD_BY_COUNT, pod);
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission() instanceof Admitted admitted
                && !(observed && allocations.hasUnhealthy(state, placement))) {
            PodAllocation running = kubelet.listed(pod.request(), admitted);
            NodeState after = kubelet.started(decision.state(), pod.request());
            if (matches(placement, running, after)) {
                take(pod, source, running, after);
                return true;
            }
        }
        PodAllocation any = allocations.ofAmounts(state, pod.namespace(), pod.name(), placement, observed);
        take(pod, source, any, kubelet.holding(state, pod.key(), any));
        return false;
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

    /**
     * Adds what a pod's record leaves out, where the model places the pod.
     *
     * @param observed whether the agent publishes the node's zones
     */
    void addRemainder(PodFacts pod, SortedMap<String, Long> missing, boolean observed) {
        assume(Kind.PARTIAL_RECORD, pod);
        NodeState without = kubelet.removeStaleState(kubelet.ended(state, pod.key()));
        Decision decision = kubelet.admit(without, pod.request());
        if (decision.admission() instanceof Admitted admitted) {
            NodeState after = kubelet.started(decision.state(), pod.request());
            Placement predicted = allocations.placement(without, after, kubelet.listed(pod.request(), admitted));
            PodAllocation rest = allocations.ofAmounts(
                    state, pod.namespace(), pod.name(), PartialRecords.remainder(missing, predicted), observed);
            take(pod, PlacementSource.EXPECTED, rest, kubelet.holding(state, pod.key(), rest));
        }
    }

    /**
     * Adds amounts of which nothing but the zones is known.
     *
     * @param key of the pod that holds them, or a name for several
     * @param terminating whether all pods terminate that hold it together
     * @param observed whether the agent publishes the node's zones
     */
    void addUnassigned(String key, boolean terminating, Placement unassigned, boolean observed) {
        int slash = key.indexOf('/');
        PodAllocation any = allocations.ofAmounts(
                state, key.substring(0, Math.max(0, slash)), key.substring(slash + 1), unassigned, observed);
        state = kubelet.holding(state, any.key(), any);
        pods.add(new PodHolding(key, PlacementSource.AGGREGATE, terminating, unassigned, List.of()));
    }
}
