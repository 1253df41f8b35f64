package io.numaledger.counts;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

/**
 * One node's free amounts, zone by zone, as arrays. Never changed: a pod that comes or goes makes a new one, of the same
 * shape. Equal ones get the same answer for every pod.
 */
public final class NodeCounts {

    private static final long MILLIS = 1000;

    final NodeShape shape;
    /** {@code row · zones + zone}: whole CPUs, bytes, counts; never below zero. */
    final long[] free;
    /** {@code row · zones + k}: the most that k+1 zones have free. */
    final long[] roomiest;
    /** Where memory can come from. */
    final MemoryZones memory;
    /** Resource number → how many of its devices are free, of resources without topology. */
    final Map<Integer, Long> anywhere;

    private final int hash;

    NodeCounts(NodeShape shape, long[] free, MemoryZones memory, Map<Integer, Long> anywhere) {
        this.anywhere = anywhere;
        this.shape = shape;
        this.free = free;
        this.memory = memory;
        this.roomiest = NodeShape.topSums(free, shape.zones);
        this.hash = 31 * shape.hashCode() + Arrays.hashCode(free);
    }

    /** From what is known of a node. */
    public static NodeCounts of(NodeFacts facts, ResourceIndex index) {
        List<String> aligned = facts.listed().stream().filter(facts::aligns).toList();
        int zones = facts.zones().size();
        aligned.forEach(index::number);
        int[] rows = new int[index.size()];
        Arrays.fill(rows, NodeShape.NOT_HERE);
        long[] base = new long[aligned.size() * zones];
        long[] free = new long[aligned.size() * zones];
        List<SortedMap<String, ZoneCounts>> byPosition =
                new ArrayList<>(facts.zones().values());
        for (int row = 0; row < aligned.size(); row++) {
            String resource = aligned.get(row);
            rows[index.number(resource)] = row;
            for (int zone = 0; zone < zones; zone++) {
                ZoneCounts counts = byPosition.get(zone).get(resource);
                if (counts != null) {
                    base[row * zones + zone] = whole(resource, base(resource, counts));
                    free[row * zones + zone] = Math.max(0, whole(resource, counts.available()));
                }
            }
        }
        NodeShape shape = new NodeShape(
                facts.policy(), facts.scope(), zones, rows, base, NodeShape.NO_SOCKETS, facts.assumptions());
        return new NodeCounts(shape, free, MemoryZones.UNUSED, Map.of());
    }

    private static long base(String resource, ZoneCounts counts) {
        return ResourceKind.of(resource) == ResourceKind.MEMORY
                ? counts.allocatable()
                : counts.capacity().orElse(counts.allocatable());
    }

    /** CPUs are given out whole. */
    private static long whole(String resource, long amount) {
        return ResourceKind.of(resource) == ResourceKind.CPU ? Math.floorDiv(amount, MILLIS) : amount;
    }

    /** The node after a placement (from {@link CountsEvaluator#place}) was taken ({@code sign} -1) or given back (+1). */
    public NodeCounts moved(long[] placement, int sign) {
        long[] changed = free.clone();
        for (int i = 0; i < changed.length; i++) {
            changed[i] += sign * placement[i];
            if (changed[i] < 0) {
                throw new IllegalArgumentException(
                        "more is taken than is free: row=%d zone=%d missing=%d; evaluate the node again"
                                .formatted(i / shape.zones, i % shape.zones, -changed[i]));
            }
        }
        return new NodeCounts(shape, changed, memory, anywhere);
    }

    public int zones() {
        return shape.zones;
    }

    /** How long an array for {@link CountsEvaluator#place} has to be. */
    public int placementLength() {
        return free.length;
    }

    /** Where a resource stands in a placement: {@code row · zones + zone}; below zero where the node does not align it. */
    public int row(int resource) {
        return shape.row(resource);
    }

    /** What every answer about this node takes for granted. */
    public Set<Assumption> assumptions() {
        return shape.assumptions();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeCounts that
                && hash == that.hash
                && Arrays.equals(free, that.free)
                && memory.equals(that.memory)
                && anywhere.equals(that.anywhere)
                && shape.equals(that.shape);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
