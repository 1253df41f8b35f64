package io.numaledger.scheduling.stranded;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;

import static io.numaledger.topology.Sorted.sorted;
import static io.numaledger.topology.Sorted.sortedSet;

/**
 * The counts of all nodes.
 *
 * @param nodes how many were counted
 * @param unknown nodes whose zones are not known: they are left out
 * @param closed nodes that are cordoned or not ready: they are left out
 * @param complete whether every node was counted since it last changed
 */
public record StrandedReport(List<Row> rows, int nodes, int unknown, int closed, boolean complete) {

    public static final StrandedReport NONE = new StrandedReport(List.of(), 0, 0, 0, false);

    public StrandedReport {
        rows = List.copyOf(rows);
    }

    /**
     * The nodes of one pool, by one reference pod.
     *
     * @param pool empty: the nodes without one
     * @param sizes what the reference pod requests there; several where nodes differ
     * @param nodes that have its devices
     * @param reasons how many pods are stranded, by reason; without zeros
     */
    public record Row(
            String reference,
            String pool,
            SortedSet<String> sizes,
            int nodes,
            long byZones,
            long bySums,
            SortedMap<StrandedReason, Long> reasons) {

        public Row {
            sizes = sortedSet(sizes);
            reasons = sorted(reasons);
        }

        public long stranded() {
            return bySums - byZones;
        }
    }

    /** What one node strands. */
    public record NodeRow(String node, String pool, NodeCount count) {}

    /** The one with the most stranded pods; absent if there are none. */
    public Optional<Row> most() {
        return rows.stream()
                .filter(row -> row.stranded() > 0)
                .reduce((one, other) -> other.stranded() > one.stranded() ? other : one);
    }
}
