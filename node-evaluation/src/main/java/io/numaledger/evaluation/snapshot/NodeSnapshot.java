package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.Placement;
import io.numaledger.pod.PodRequest;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

import static io.numaledger.topology.Sorted.sortedSet;

/**
 * Everything known about one node at one instant. Immutable.
 *
 * @param topology the published zones; absent if there are none
 * @param now the state of its kubelet; absent without a kubelet model
 * @param afterReleases the same after the terminating pods have ended
 * @param releasing the keys of the holders that free what they hold when the terminating pods end
 * @param pods the pods that hold something, by key
 * @param assumptions those of the model and those about pods
 * @param unknowns what is not known for now, and what happens meanwhile to pods that depend on it
 * @param gpuLinks as {@link SnapshotSettings#gpuLinks}
 */
public record NodeSnapshot(
        NodeFacts node,
        Optional<NodeTopology> topology,
        NodeModel model,
        Optional<NodeState> now,
        Optional<NodeState> afterReleases,
        SortedSet<String> releasing,
        List<PodHolding> pods,
        SortedSet<Assumption> assumptions,
        Confidence confidence,
        NodeUnknowns unknowns,
        GpuLinkSettings gpuLinks) {

    public NodeSnapshot {
        releasing = sortedSet(releasing);
        pods = List.copyOf(pods);
        assumptions = sortedSet(assumptions);
    }

    public String name() {
        return node.name();
    }

    /** Zone → the CPUs that records count more often than the kubelet has given them. */
    public Placement cpusCountedTwice() {
        return model.kubelet()
                .flatMap(kubelet -> now.map(state -> CpusCountedTwice.of(kubelet, state)))
                .orElse(Placement.EMPTY);
    }

    /** A state of this node after its terminating pods have ended. */
    public NodeState released(NodeState state) {
        return ended(model.kubelet().orElseThrow(), state, releasing);
    }

    /**
     * A state of this node after these pods have ended. A pod whose part of what is held is not known frees nothing: only the sums of the
     * node.
     */
    public NodeState ended(NodeState state, Collection<String> keys) {
        TreeSet<String> known = new TreeSet<>(keys);
        pods.stream()
                .filter(held -> held.source() == PlacementSource.AGGREGATE)
                .map(PodHolding::key)
                .forEach(known::remove);
        return ended(model.kubelet().orElseThrow(), state, known);
    }

    /** This node after these pods have ended, see {@link Releases}. */
    public NodeSnapshot released(SortedSet<String> ended) {
        TreeSet<String> left = new TreeSet<>(releasing);
        left.removeAll(ended);
        return with(
                now.map(state -> ended(state, ended)),
                left,
                pods.stream().filter(pod -> !ended.contains(pod.key())).toList());
    }

    /** This node with these holders terminating. */
    public NodeSnapshot releasing(SortedSet<String> holders) {
        return with(now, holders, pods);
    }

    private NodeSnapshot with(Optional<NodeState> state, SortedSet<String> holders, List<PodHolding> held) {
        return new NodeSnapshot(
                node,
                topology,
                model,
                state,
                afterReleases,
                holders,
                held,
                assumptions,
                confidence,
                unknowns,
                gpuLinks);
    }

    /** This node with one assumption more. */
    public NodeSnapshot assuming(Assumption assumption) {
        TreeSet<Assumption> all = new TreeSet<>(assumptions);
        all.add(assumption);
        return new NodeSnapshot(
                node,
                topology,
                model,
                now,
                afterReleases,
                releasing,
                pods,
                all,
                confidence == Confidence.EXACT ? Confidence.PREDICTED : confidence,
                unknowns,
                gpuLinks);
    }

    static NodeState ended(KubeletModel kubelet, NodeState state, SortedSet<String> holders) {
        NodeState left = state;
        for (String holder : holders) {
            left = kubelet.ended(left, holder);
        }
        return kubelet.removeStaleState(left);
    }

    /** Why the confidence is not exact; empty where it is. */
    public Sentence reason() {
        if (model.unmodelled().isPresent()) {
            return Sentence.of(model.unmodelled().get().message());
        }
        return assumptions.stream()
                .map(Assumption::sentence)
                .reduce((all, next) -> all.plus("; ").plus(next))
                .orElse(Sentence.of(""));
    }

    /** Whether the kubelet model alone decides on a pod. */
    public boolean isDecidedByModel(PodRequest pod) {
        return isDecidedByModel() || (unknowns.about(pod).isEmpty() && !UnknownPart.requests(pod, model.leftOut()));
    }

    /** Whether the kubelet model alone decides on every pod. */
    public boolean isDecidedByModel() {
        return now.isPresent() && unknowns.parts().isEmpty() && model.leftOut().isEmpty();
    }

    /** This snapshot with a newly published topology that changes nothing else. */
    public NodeSnapshot withTopology(NodeTopology published) {
        return new NodeSnapshot(
                node,
                Optional.of(published),
                model,
                now,
                afterReleases,
                releasing,
                pods,
                assumptions,
                confidence,
                unknowns,
                gpuLinks);
    }
}
