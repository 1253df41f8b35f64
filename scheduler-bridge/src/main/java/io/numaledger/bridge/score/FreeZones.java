package io.numaledger.bridge.score;

import io.numaledger.counts.ZoneTable;

/** What is free on a node, zone by zone. */
public final class FreeZones {

    private final ZoneTable table;
    private final long[] free;
    private final long[] requests;

    /** @param free as the table has it; not to be changed any more */
    public FreeZones(ZoneTable table, long[] free) {
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

    /** By {@code row · zones + zone}. */
    public long free(int index) {
        return free[index];
    }

    /** The largest request over all resources together that the zone can take, in percent of the roomiest empty zones. */
    long request(int zone) {
        return requests[zone];
    }

    /** The same once this is taken. */
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
