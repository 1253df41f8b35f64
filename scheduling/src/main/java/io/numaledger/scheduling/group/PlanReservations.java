package io.numaledger.scheduling.group;

import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Reserves nodes for planned pods, so that no other pod takes their place. Thread-safe. */
public final class PlanReservations {

    /** How long the place of a terminating pod is reserved. */
    public static final Duration TERMINATION_TIMEOUT = Duration.ofMinutes(10);

    private final ClusterState cluster;
    private final AtomicLong numbers = new AtomicLong();

    public PlanReservations(ClusterState cluster) {
        this.cluster = cluster;
    }

    /** The number of a new plan. */
    public long next() {
        return numbers.incrementAndGet();
    }

    /**
     * Reserves the nodes of a plan.
     *
     * @param uses what the plan is based on
     * @return whether they have not changed since; if one has, none is reserved
     */
    public boolean reserve(long number, GroupPlan plan, List<NodeUse> uses) {
        return reserve(number, plan, uses, Set.of());
    }

    /**
     * Reserves the nodes of a plan that is possible later.
     *
     * @param awaited the UIDs of pods that have to end first
     */
    public boolean reserve(long number, GroupPlan plan, List<NodeUse> uses, Set<String> awaited) {
        List<NodeUse> used = uses.stream()
                .filter(use -> plan.byNode().containsKey(use.node().name()))
                .toList();
        boolean reserved = used.size() == plan.byNode().size()
                && used.stream()
                        .allMatch(use -> cluster.reserved()
                                .plan(use, number, plan.on(use.node().name()), awaited));
        if (!reserved) {
            release(number, plan);
        }
        return reserved;
    }

    /** Leaves the nodes of a plan to other pods. */
    public void release(long number, GroupPlan plan) {
        plan.byNode().keySet().forEach(node -> cluster.reserved().removePlan(node, number));
    }
}
