package io.numaledger.bridge.explain;

import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.evaluation.NodeFit;
import io.numaledger.bridge.evaluation.PodShape;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.bridge.state.CandidateSnapshots;
import io.numaledger.bridge.state.NodeUse;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/** A node with everything that decides there on one pod: its zones in every state that it may be in, its sums, and its constraints. */
final class ExplainedNode {

    private final CandidateSnapshots candidates;
    private final List<PodFacts> others;
    private final SortedMap<String, Long> requested;

    /** @param pod is not counted among the node's pods */
    ExplainedNode(NodeUse use, PodFacts pod) {
        this.candidates = use.snapshots();
        this.others = use.pods().stream()
                .filter(other -> !other.key().equals(pod.key()))
                .toList();
        this.requested = others.size() == use.pods().size() ? use.requested() : NodeFit.requested(others);
    }

    NodeSnapshot snapshot() {
        return candidates.likeliest().snapshot();
    }

    CandidateSnapshots candidates() {
        return candidates;
    }

    /** The pods that run here, or are about to. */
    List<PodFacts> pods() {
        return others;
    }

    /** The likeliest state after these pods have ended. */
    Optional<NodeState> without(Collection<String> ended) {
        return without(snapshot(), Set.copyOf(ended));
    }

    private static Optional<NodeState> without(NodeSnapshot snapshot, Set<String> ended) {
        return ended.isEmpty() || snapshot.model().kubelet().isEmpty()
                ? snapshot.now()
                : snapshot.now().map(state -> snapshot.ended(state, ended));
    }

    /** Why the node as a whole does not take the pod after others have ended, a sentence each. */
    List<String> reasons(PodFacts pod, Collection<String> ended) {
        return NodeFit.reasons(
                snapshot().node(),
                pod,
                others.stream().filter(other -> !ended.contains(other.key())).toList());
    }

    /** Whether its cordon, its taints or its labels are against the pod. */
    boolean isExcluded(PodFacts pod) {
        return !pod.constraints()
                .conflicts(snapshot().name(), snapshot().node().constraints())
                .isEmpty();
    }

    /** Whether it has the amounts that the pod requests, zones apart. */
    boolean hasRoom(PodFacts pod) {
        return hasRoom(pod, requested);
    }

    private boolean hasRoom(PodFacts pod, SortedMap<String, Long> requestedByOthers) {
        return NodeFit.hasRoom(snapshot().node(), NodeFit.requested(pod.nodeLevel()), requestedByOthers);
    }

    /** Whether it would take the pod after others have ended. */
    boolean takes(PodFacts pod, Set<String> ended) {
        return hasRoom(pod, requestedWithout(ended))
                && isNotWaiting(pod)
                && fits(pod, snapshot -> without(snapshot, ended))
                && !isExcluded(pod);
    }

    /** Whether it would take the pod after its terminating pods have ended. */
    boolean takesAfterReleases(PodFacts pod) {
        List<PodFacts> staying =
                others.stream().filter(other -> !other.terminating()).toList();
        return isNotWaiting(pod)
                && fits(pod, NodeSnapshot::afterReleases)
                && hasRoom(pod, NodeFit.requested(staying))
                && !isExcluded(pod);
    }

    /** Whether it would take the pod if it had no other pods. */
    boolean takesEmpty(PodFacts pod) {
        return hasRoom(pod, new TreeMap<>())
                && FullModel.admits(snapshot(), snapshot().model().kubelet().map(KubeletModel::empty), pod)
                && !isExcluded(pod);
    }

    private boolean isNotWaiting(PodFacts pod) {
        return candidates.waits(pod, PodShape.of(pod)).isEmpty();
    }

    private boolean fits(PodFacts pod, Function<NodeSnapshot, Optional<NodeState>> state) {
        return candidates.snapshots().allMatch(snapshot -> FullModel.admits(snapshot, state.apply(snapshot), pod));
    }

    private SortedMap<String, Long> requestedWithout(Set<String> ended) {
        if (ended.isEmpty()) {
            return requested;
        }
        SortedMap<String, Long> left = new TreeMap<>(requested);
        NodeFit.requested(others.stream()
                        .filter(other -> ended.contains(other.key()))
                        .toList())
                .forEach((resource, amount) -> left.computeIfPresent(resource, (any, sum) -> sum - amount));
        return left;
    }
}
