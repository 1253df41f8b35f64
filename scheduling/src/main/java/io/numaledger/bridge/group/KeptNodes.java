package io.numaledger.bridge.group;

import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeUse;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps nodes for planned pods, so that no other pod takes their place. Thread-safe. */
public final class KeptNodes {

    /** How long the place of a terminating pod is kept. */
    public static final Duration TERMINATION_TIMEOUT = Duration.ofMinutes(10);

    private final ClusterState cluster;
    private final AtomicLong numbers = new AtomicLong();

    public KeptNodes(ClusterState cluster) {
        this.cluster = cluster;
    }

    /** The number of a new plan. */
    public long next() {
        return numbers.incrementAndGet();
    }

    /**
     * Keeps the nodes of a plan.
     *
     * @param uses what the plan is based on
     * @return whether they have not changed since; if one has, none is kept
     */
    public boolean keep(long number, GroupPlan plan, List<NodeUse> uses) {
        return keep(number, plan, uses, Set.of());
    }

    /**
     * The same for a plan that is possible later.
     *
     * @param awaited the UIDs of pods that have to end first
     */
    public boolean keep(long number, GroupPlan plan, List<NodeUse> uses, Set<String> awaited) {
        List<NodeUse> used = uses.stream()
                .filter(use -> plan.byNode().containsKey(use.node().name()))
                .toList();
        boolean kept = used.size() == plan.byNode().size()
                && used.stream()
                        .allMatch(use -> cluster.reserved()
                                .plan(use, number, plan.on(use.node().name()), awaited));
        if (!kept) {
            release(number, plan);
        }
        return kept;
    }

    /** Leaves the nodes of a plan to other pods. */
    public void release(long number, GroupPlan plan) {
        plan.byNode().keySet().forEach(node -> cluster.reserved().removePlan(node, number));
    }
}
