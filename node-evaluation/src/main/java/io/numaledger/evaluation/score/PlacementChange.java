package io.numaledger.evaluation.score;

/**
 * How a pod changes the zones of a node.
 *
 * @param node the free amounts without the pod
 * @param taken the amounts that the pod takes, by {@code row · zones + zone}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; there is one for each node and call
public record PlacementChange(FreeAmounts node, long[] taken) {

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

    /** Whether the pod takes something from this zone. */
    boolean touches(int zone) {
        for (int row = 0; row < rows(); row++) {
            if (taken(row, zone) > 0) {
                return true;
            }
        }
        return false;
    }
}
