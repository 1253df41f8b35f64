package io.numaledger.bridge.objects;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The ResourceClaims of a pod: those that its spec names, and those that were made for it.
 *
 * @param byName name within the pod → name of the claim in its namespace; empty: it is not made yet
 * @param extendedResources the claim for extended resources that Dynamic Resource Allocation serves; absent: it has none, or none yet
 */
public record PodClaims(SortedMap<String, String> byName, Optional<String> extendedResources) {

    public static final PodClaims NONE = new PodClaims(new TreeMap<>(), Optional.empty());

    public PodClaims {
        byName = sorted(byName);
    }

    public boolean isEmpty() {
        return byName.isEmpty() && extendedResources.isEmpty();
    }

    /** Whether one of them is not made yet. */
    public boolean areMissing() {
        return byName.containsValue("");
    }

    /** The names of those that are made. */
    public List<String> names() {
        return Stream.concat(byName.values().stream(), extendedResources.stream())
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }
}
