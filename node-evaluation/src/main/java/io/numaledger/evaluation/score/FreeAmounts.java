package io.numaledger.evaluation.score;

import io.numaledger.fastpath.ZoneTable;

/** The free amounts of a node, zone by zone. */
public final class FreeAmounts {

    private final ZoneTable table;
    private final long[] free;
    private final long[] requests;

    /** @param free in the order of the table; must not be changed afterwards */
    public FreeAmounts(ZoneTable table, long[] free) {
        this.table = table;
        this.free = free;
        this.requests = new long[table.zones()];
        long[] nothing = new long[free.length];
        for (int zone = 0; zone < requests.length; zone++) {
            requests[zone] = requestWithout(nothing, zone);
        }
    }

    int zones() {
        return requests.length;
    }

    int rows() {
        return table.resources().size();
    }

    /** The number of amounts. */
    public int size() {
        return free.length;
    }

    /** The free amount at {@code row · zones + zone}. */
    public long free(int index) {
        return free[index];
    }

    /** The largest request over all resources together that the zone can take, in percent of the largest empty zones. */
    long request(int zone) {
        return requests[zone];
    }

    /** The largest request that the zone can take after some amounts are taken, see {@link #request}. */
    long requestWithout(long[] taken, int zone) {
        long request = NodeScore.MAX;
        for (int row = 0; row < rows(); row++) {
            long whole = table.most(row);
            if (whole > 0) {
                int index = row * zones() + zone;
                request = Math.min(request, NodeScore.percent(free[index] - taken[index], whole));
            }
        }
        return request;
    }
}
