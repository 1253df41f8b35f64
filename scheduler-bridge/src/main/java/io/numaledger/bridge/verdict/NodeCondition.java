package io.numaledger.bridge.verdict;

import io.numaledger.bridge.score.FreeZones;
import io.numaledger.counts.NodeCounts;
import io.numaledger.kubelet.NodeState;

import java.util.Optional;

/** What is free on nodes of one signature. */
public final class NodeCondition {

    private final NodeKind kind;
    private final FreeZones free;
    private final Optional<NodeCounts> counts;
    private volatile Optional<NodeState> anonymous = Optional.empty();

    NodeCondition(NodeKind kind, NodeState state) {
        this.kind = kind;
        long[] amounts = kind.table().free(state);
        this.free = new FreeZones(kind.table(), amounts);
        this.counts = kind.form().flatMap(form -> form.counts(state, amounts));
    }

    NodeKind kind() {
        return kind;
    }

    FreeZones free() {
        return free;
    }

    /** What decides there about a new pod, without names of holders; made from the state of one such node when it is asked for. */
    NodeState anonymous(NodeState now) {
        Optional<NodeState> made = anonymous;
        if (made.isEmpty()) {
            made = Optional.of(kind.kubelet().sweep(now).anonymous());
            anonymous = made;
        }
        return made.get();
    }

    /** Absent where counts do not say all. */
    Optional<NodeCounts> counts() {
        return counts;
    }
}
