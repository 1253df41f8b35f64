package io.numaledger.placement;

import io.numaledger.resource.Saturating;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What one pod holds, NUMA node by NUMA node.
 *
 * @param zones NUMA node id → the amounts there; NUMA nodes without amounts are left out
 */
public record Placement(SortedMap<Integer, Amounts> zones) {

    public static final Placement EMPTY = new Placement(new TreeMap<>());

    public Placement {
        if (zones.containsValue(Amounts.NONE)) {
            zones = new TreeMap<>(zones);
            zones.values().removeIf(Amounts::isEmpty);
        }
        zones = sorted(zones);
    }

    public boolean isEmpty() {
        return zones.isEmpty();
    }

    public Amounts on(int numaNode) {
        return zones.getOrDefault(numaNode, Amounts.NONE);
    }

    public Placement plus(Placement other) {
        TreeMap<Integer, Amounts> sum = new TreeMap<>(zones);
        other.zones.forEach((id, amounts) -> sum.merge(id, amounts, Amounts::plus));
        return new Placement(sum);
    }

    /** Adds up amounts zone by zone. */
    public static final class Builder {
        private final TreeMap<Integer, TreeMap<String, Long>> zones = new TreeMap<>();

        public Builder add(int numaNode, String resource, long amount) {
            zones.computeIfAbsent(numaNode, id -> new TreeMap<>()).merge(resource, amount, Saturating::add);
            return this;
        }

        public Builder add(Placement placement) {
            placement.zones.forEach(
                    (id, amounts) -> amounts.byResource().forEach((resource, amount) -> add(id, resource, amount)));
            return this;
        }

        public Placement build() {
            TreeMap<Integer, Amounts> built = new TreeMap<>();
            for (Map.Entry<Integer, TreeMap<String, Long>> zone : zones.entrySet()) {
                built.put(zone.getKey(), new Amounts(zone.getValue()));
            }
            return new Placement(built);
        }
    }
}
