package io.numaledger.bridge.batch;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeNames;
import io.numaledger.bridge.state.Reservation;

import java.util.ArrayList;
import java.util.List;

/** Whether other pods would starve a pending one: it fits a node now, and would find no room beside them. For one thread. */
public final class StarvationCheck {

    /** So many pending pods keep their places together, the oldest ones; others each for itself. */
    private static final int MAX_TOGETHER = 3;

    private final ClusterState cluster;
    private final PodFacts pending;
    private final NodeEvaluator evaluator;

    StarvationCheck(ClusterState cluster, PodFacts pending, NodeEvaluator evaluator) {
        this.cluster = cluster;
        this.pending = pending;
        this.evaluator = evaluator;
    }

    /**
     * Whether another pod on this node would starve the pending one.
     *
     * @param older pods that wait as well and fit the node, each or together; this one is added if it fits, too
     */
    public boolean wouldStarve(String node, PodFacts other, List<PodFacts> older) {
        boolean fits = evaluator
                        .evaluate(NodeNames.of(cluster.index(), List.of(node)), 0)
                        .admits()
                && cluster.offersDevices(node, pending);
        if (!fits) {
            return false;
        }
        List<PodFacts> together = older.size() < MAX_TOGETHER ? older : new ArrayList<>();
        together.add(pending);
        return cluster.use(node)
                .filter(use -> use.wouldDisplace(other, together.stream().map(Reservation::older).toList()))
                .isPresent();
    }

    /** Stores what it found out for later calls. */
    public void finish() {
        evaluator.finish();
    }
}
