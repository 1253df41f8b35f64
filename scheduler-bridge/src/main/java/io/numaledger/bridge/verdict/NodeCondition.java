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

    /** Absent where counts do not say all. */
    Optional<NodeCounts> counts() {
        return counts;
    }
}
