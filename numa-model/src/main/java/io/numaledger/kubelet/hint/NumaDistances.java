package io.numaledger.kubelet.hint;

import io.numaledger.kubelet.hint.KubeletFailureException.Kind;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/**
 * Distances between NUMA nodes as the kubelet reads them: one row of numbers per node, in the order of the file, and
 * indexed by NUMA node id, which is the wrong column as soon as ids are sparse (cm/topologymanager/numa_info.go).
 */
public final class NumaDistances {

    private final SortedMap<Integer, int[]> rows = new TreeMap<>();

    public NumaDistances(MachineTopology machine) {
        for (NumaNode node : machine.numaNodes()) {
            rows.put(
                    node.id(),
                    node.distances().values().stream()
                            .mapToInt(Integer::intValue)
                            .toArray());
        }
    }

    /** All distances inside a mask, both directions and a node to itself included; for masks of equal width this orders as the average does. */
    long sum(AffinityMask mask) {
        return mask.ids()
                .mapToLong(
                        from -> mask.ids().mapToLong(to -> distance(from, to)).sum())
                .sum();
    }

    /** Every row has a column for every NUMA node id, so that the kubelet does not read beyond the end of one. */
    public boolean reachEveryNode() {
        return rows.values().stream().allMatch(row -> row.length > rows.lastKey());
    }

    /** All nodes have the same distance to themselves, so that single nodes are preferred by number only. */
    public boolean areAlikeToThemselves() {
        return reachEveryNode()
                && rows.keySet().stream()
                                .mapToInt(node -> distance(node, node))
                                .distinct()
                                .count()
                        <= 1;
    }

    /** No sum of distances changes when these two NUMA nodes change places. */
    boolean areAlike(int a, int b) {
        return distance(a, a) == distance(b, b)
                && distance(a, b) == distance(b, a)
                && rows.keySet().stream()
                        .filter(node -> node != a && node != b)
                        .allMatch(node ->
                                distance(a, node) == distance(b, node) && distance(node, a) == distance(node, b));
    }

    /** Some row ends before the highest NUMA node id: the kubelet would read beyond its end. */
    public boolean areSparse() {
        return rows.values().stream().anyMatch(row -> row.length <= rows.lastKey());
    }

    private int distance(int from, int to) {
        int[] row = requireNonNull(rows.get(from));
        if (to >= row.length) {
            throw new KubeletFailureException(
                    Kind.PANIC,
                    "the kubelet reads a distance by NUMA node id beyond the end of the row: numaNode=%d to=%d columns=%d; turn prefer-closest-numa-nodes off on this machine"
                            .formatted(from, to, row.length));
        }
        return row[to];
    }
}
