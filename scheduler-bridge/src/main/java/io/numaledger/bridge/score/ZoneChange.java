package io.numaledger.bridge.score;

/**
 * What a pod does to the zones of a node.
 *
 * @param node without the pod
 * @param taken what the pod takes of it, by {@code row · zones + zone}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; there is one for each node and call
public record ZoneChange(FreeZones node, long[] taken) {

    int zones() {
        return node.zones();
    }

    int rows() {
        return node.rows();
    }

    long free(int row, int zone) {
        return node.free(row * zones() + zone);
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
