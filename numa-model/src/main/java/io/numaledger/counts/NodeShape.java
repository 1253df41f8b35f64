package io.numaledger.counts;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * What does not change while pods come and go: a node's zones, its policy, and how much of each resource the empty node
 * has. Nodes of one kind share it. Amounts are whole CPUs, bytes and counts.
 */
final class NodeShape {

    static final int NOT_HERE = -1;
    static final long[] NO_SOCKETS = new long[0];

    final TopologyPolicyName policy;
    final TopologyScope scope;
    final int zones;
    /** Resource number → row, or {@link #NOT_HERE} where the node does not align the resource. */
    final int[] rows;
    /** {@code row · zones + zone}: what counts for the width; capacity, for memory allocatable. */
    final long[] base;
    /** {@code row · zones + k}: the most that k+1 zones have of it on the empty node. */
    final long[] reach;
    /** {@code row}: the zones that have some of it. */
    final long[] hosts;
    /** With {@code align-by-socket}: the socket of each zone, as a bit; else, and where a socket is a zone, empty. */
    final long[] sockets;
    /** As the kubelet counts; 0 without {@link #sockets}. */
    final int zonesPerSocket;

    private final Set<Assumption> assumptions;

    NodeShape(
            TopologyPolicyName policy,
            TopologyScope scope,
            int zones,
            int[] rows,
            long[] base,
            long[] sockets,
            Set<Assumption> assumptions) {
        this.policy = policy;
        this.scope = scope;
        this.zones = zones;
        this.rows = rows;
        this.base = base;
        this.sockets = sockets;
        this.zonesPerSocket = sockets.length == 0
                ? 0
                : zones / (int) Arrays.stream(sockets).distinct().count();
        this.reach = topSums(base, zones);
        this.hosts = new long[base.length / zones];
        for (int i = 0; i < base.length; i++) {
            if (base[i] > 0) {
                hosts[i / zones] |= 1L << (i % zones);
            }
        }
        this.assumptions = assumptions.isEmpty() ? EnumSet.noneOf(Assumption.class) : EnumSet.copyOf(assumptions);
    }

    Set<Assumption> assumptions() {
        return Collections.unmodifiableSet(assumptions);
    }

    int row(int resource) {
        return resource < rows.length ? rows[resource] : NOT_HERE;
    }

    /** Per row: the largest value, the sum of the two largest, and so on. */
    static long[] topSums(long[] values, int zones) {
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
        return other instanceof NodeShape that
                && policy == that.policy
                && scope == that.scope
                && zones == that.zones
                && Arrays.equals(rows, that.rows)
                && Arrays.equals(base, that.base)
                && Arrays.equals(sockets, that.sockets)
                && assumptions.equals(that.assumptions);
    }

    @Override
    public int hashCode() {
        return 31 * Objects.hash(policy, scope) + Arrays.hashCode(base);
    }
}
