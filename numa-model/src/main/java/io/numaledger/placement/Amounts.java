package io.numaledger.placement;

import io.numaledger.resource.Quantity;
import io.numaledger.resource.Saturating;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * How much of each resource: {@code cpu} in milli-CPU, {@code memory} and {@code hugepages-*} in bytes, devices in
 * counts. A resource that is missing is none of it, so zeros are dropped and equal amounts are equal values.
 */
public record Amounts(SortedMap<String, Long> byResource) {

    public static final String CPU = "cpu";
    public static final Amounts NONE = new Amounts(new TreeMap<>());

    public Amounts {
        if (byResource.containsValue(0L)) {
            byResource = new TreeMap<>(byResource);
            byResource.values().removeIf(amount -> amount == 0);
        }
        byResource = sorted(byResource);
    }

    public static Amounts of(Map<String, Long> byResource) {
        return new Amounts(new TreeMap<>(byResource));
    }

    public long get(String resource) {
        return byResource.getOrDefault(resource, 0L);
    }

    public boolean isEmpty() {
        return byResource.isEmpty();
    }

    public Amounts plus(Amounts other) {
        TreeMap<String, Long> sum = new TreeMap<>(byResource);
        other.byResource.forEach((resource, amount) -> sum.merge(resource, amount, Saturating::add));
        return new Amounts(sum);
    }

    /** The canonical text of an amount of this resource: CPUs from milli-CPU, everything else in whole units. */
    public static String text(String resource, long amount) {
        return resource.equals(CPU) ? Quantity.ofMilli(amount) : Quantity.ofWhole(amount);
    }

    /** The amount that a quantity means for this resource, rounded up to its unit. */
    public static long amount(String resource, String quantity) {
        return resource.equals(CPU) ? Quantity.milli(quantity) : Quantity.whole(quantity);
    }
}
