package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.score.FreeAmounts;
import io.numaledger.fastpath.NodeCounts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;

import java.util.Optional;

/** Nodes of one type with equal free resources. Every pod gets the same evaluation on each of them. */
public final class NodeEquivalenceClass {

    private final NodeType type;
    private final FreeAmounts free;
    private final Optional<NodeCounts> counts;
    private volatile Optional<NodeState> anonymous = Optional.empty();

    NodeEquivalenceClass(NodeType type, NodeState state) {
        this.type = type;
        long[] amounts = type.table().free(state);
        this.free = new FreeAmounts(type.table(), amounts);
        this.counts = type.fastPath().flatMap(fastPath -> fastPath.model().counts(state, amounts));
    }

    /** Nodes of the same type in another state. It shares results with no other class. */
    public NodeEquivalenceClass inState(NodeState state) {
        return new NodeEquivalenceClass(type, type.kubelet().removeStaleState(state));
    }

    public KubeletModel kubelet() {
        return type.kubelet();
    }

    NodeType type() {
        return type;
    }

    FreeAmounts free() {
        return free;
    }

    /** The counts of the nodes; absent where counts do not decide. */
    Optional<NodeCounts> counts() {
        return counts;
    }

    /**
     * The state without names of pods. Computed once, when the full model first needs it.
     *
     * @param state of any node of this class
     */
    NodeState anonymous(NodeState state) {
        Optional<NodeState> known = anonymous;
        if (known.isEmpty()) {
            known = Optional.of(type.kubelet().removeStaleState(state).anonymous());
            anonymous = known;
        }
        return known.get();
    }
}
