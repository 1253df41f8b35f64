package io.numaledger.bridge.node;

import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.NodeTopology;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Everything known of one node at one instant. Immutable.
 *
 * @param topology what is published of its zones; absent: nothing
 * @param now what its kubelet holds; absent without a kubelet model
 * @param afterReleases the same when the terminating pods are gone
 * @param pods who holds something, by key
 * @param assumptions the model's and those about pods
 */
public record NodePicture(
        NodeFacts node,
        Optional<NodeTopology> topology,
        NodeModel model,
        Optional<NodeState> now,
        Optional<NodeState> afterReleases,
        List<HeldPod> pods,
        SortedSet<Assumption> assumptions,
        Confidence confidence) {

    public NodePicture {
        pods = List.copyOf(pods);
        assumptions = Collections.unmodifiableSortedSet(new TreeSet<>(assumptions));
    }

    public String name() {
        return node.name();
    }

    /** Why the confidence is not exact; empty where it is. */
    public String reason() {
        if (!model.unmodelled().isEmpty()) {
            return model.unmodelled();
        }
        return String.join("; ", assumptions.stream().map(Assumption::toString).toList());
    }

    /** The same, where another publication of the topology changes nothing. */
    public NodePicture withTopology(NodeTopology published) {
        return new NodePicture(node, Optional.of(published), model, now, afterReleases, pods, assumptions, confidence);
    }
}
