package io.numaledger.bridge.group;

/**
 * How much work may be done to plan a group. Counted in units, so that results do not depend on the speed of a machine: one is about a
 * pod that is compared with a node, a microsecond. Not thread-safe.
 */
public final class PlanningBudget {

    /** To place a pod on a node tentatively, as its kubelet would. */
    static final int PLACEMENT = 20;

    /** So many nodes are passed over at the cost of one unit. */
    private static final int NODES_PASSED_OVER = 16;

    private final long units;
    private long left;

    public PlanningBudget(long units) {
        this.units = units;
        this.left = units;
    }

    /** Takes what some work costs. Returns false once the budget is used up: then the search ends without a result. */
    public boolean take(long cost) {
        left -= Math.min(left + 1, cost);
        return left >= 0;
    }

    /** The same for a list of nodes that is only read. */
    boolean takeNodes(int nodes) {
        return take(1 + nodes / NODES_PASSED_OVER);
    }

    boolean isUsedUp() {
        return left < 0;
    }

    long left() {
        return Math.max(0, left);
    }

    public long used() {
        return units - left();
    }
}
