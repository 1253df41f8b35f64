package io.numaledger.bridge.batch;

import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeNames;

import java.util.List;

/** Whether other pods would starve a pending one: it fits a node now, and would not fit beside them. For one thread. */
public final class StarvationCheck {

    private final ClusterState cluster;
    private final PodFacts pending;
    private final NodeEvaluator evaluator;

    StarvationCheck(ClusterState cluster, PodFacts pending, NodeEvaluator evaluator) {
        this.cluster = cluster;
        this.pending = pending;
        this.evaluator = evaluator;
    }

    /** Whether another pod on this node would starve the pending one. */
    public boolean wouldStarve(String node, PodFacts other) {
        return evaluator
                        .evaluate(NodeNames.of(cluster.index(), List.of(node)), 0)
                        .admits()
                && cluster.offersDevices(node, pending)
                && cluster.snapshot(node)
                        .filter(now -> !FullModel.fitsBeside(now, other, pending))
                        .isPresent();
    }

    /** Stores what it found out for later calls. */
    public void finish() {
        evaluator.finish();
    }
}
