package io.numaledger.bridge.verdict;

import io.numaledger.counts.NodeCounts;
import io.numaledger.kubelet.NodeState;

import java.util.Optional;

/** What is free on nodes of one signature. */
public final class NodeCondition {

    private final NodeKind kind;
    private final long[] free;
    private final Optional<NodeCounts> counts;

    NodeCondition(NodeKind kind, NodeState state) {
        this.kind = kind;
        this.free = kind.table().free(state);
        this.counts = kind.form().flatMap(form -> form.counts(state, free));
    }

    NodeKind kind() {
        return kind;
    }

    /** As the kind's table has it; not to be changed. */
    long[] free() {
        return free;
    }

    /** Absent where counts do not say all. */
    Optional<NodeCounts> counts() {
        return counts;
    }
}
