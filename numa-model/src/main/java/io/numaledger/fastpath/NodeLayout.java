package io.numaledger.fastpath;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;

import java.util.Arrays;
import java.util.Objects;

/**
 * What stays the same while pods start and end: a node's zones, its Topology Manager policy, and its capacity by zone. Nodes
 * of one type share it. Amounts are whole CPUs, bytes and counts.
 */
final class NodeLayout {

    static final int NOT_HERE = -1;
    static final long[] NO_SOCKETS = new long[0];

    final TopologyPolicyName policy;
    final TopologyScope scope;
    final int zones;
    /** Resource number → row, or {@link #NOT_HERE} where the node does not align the resource. */
    final int[] rows;
    /** {@code row · zones + zone}: what decides the preferred width; for memory allocatable. */
    final long[] capacity;
    /** {@code row · zones + k}: the largest capacity that k+1 zones have together. */
    final long[] capacitySums;
    /** {@code row}: the zones that have some of the resource, as bits. */
    final long[] hosts;
    /** With {@code align-by-socket}: the socket of each zone, as a bit. Empty without it, and where each socket is one zone. */
    final long[] sockets;
    /** The number of zones per socket as the kubelet computes it; 0 without {@link #sockets}. */
    final int zonesPerSocket;

    NodeLayout(TopologyPolicyName policy, TopologyScope scope, int zones, int[] rows, long[] capacity, long[] sockets) {
        this.policy = policy;
        this.scope = scope;
        this.zones = zones;
        this.rows = rows;
        this.capacity = capacity;
        this.sockets = sockets;
        this.zonesPerSocket = sockets.length == 0
                ? 0
                : zones / (int) Arrays.stream(sockets).distinct().count();
        this.capacitySums = largestSums(capacity, zones);
        this.hosts = new long[capacity.length / zones];
        for (int i = 0; i < capacity.length; i++) {
            if (capacity[i] > 0) {
                hosts[i / zones] |= 1L << (i % zones);
            }
        }
    }

    /** All zones, as bits. */
    long allZones() {
        return -1L >>> (Long.SIZE - zones);
    }

    /** The resource's row, or {@link #NOT_HERE}. */
    int row(int resource) {
        return resource < rows.length ? rows[resource] : NOT_HERE;
    }

    /** Per row: the largest value, the sum of the two largest, and so on. */
    static long[] largestSums(long[] values, int zones) {
        long[] sums = values.clone();
        for (int start = 0; start < sums.length; start += zones) {
            Arrays.sort(sums, start, start + zones);
            for (int i = 0, j = zones - 1; i < j; i++, j--) {
                long swap = sums[start + i];
                sums[start + i] = sums[start + j];
                sums[start + j] = swap;
            }
            for (int k = 1; k < zones; k++) {
                sums[start + k] += sums[start + k - 1];
            }
        }
        return sums;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeLayout that
                && policy == that.policy
                && scope == that.scope
                && zones == that.zones
                && Arrays.equals(rows, that.rows)
                && Arrays.equals(capacity, that.capacity)
                && Arrays.equals(sockets, that.sockets);
    }

    @Override
    public int hashCode() {
        return 31 * Objects.hash(policy, scope) + Arrays.hashCode(capacity);
    }
}
