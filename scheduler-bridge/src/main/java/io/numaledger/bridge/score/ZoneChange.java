package io.numaledger.bridge.score;

import io.numaledger.counts.ZoneTable;

/**
 * What a pod does to the zones of a node.
 *
 * @param table says what stands where
 * @param before what is free without the pod, by {@code row · zones + zone}
 * @param taken what the pod takes of it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; there is one for each node and call
public record ZoneChange(ZoneTable table, long[] before, long[] taken) {

    int zones() {
        return table.zones();
    }

    int rows() {
        return table.resources().size();
    }

    long free(int row, int zone) {
        return before[row * zones() + zone];
    }

    long taken(int row, int zone) {
        return taken[row * zones() + zone];
    }

    /** It takes something there. */
    boolean touches(int zone) {
        for (int row = 0; row < rows(); row++) {
            if (taken(row, zone) > 0) {
                return true;
            }
        }
        return false;
    }
}
