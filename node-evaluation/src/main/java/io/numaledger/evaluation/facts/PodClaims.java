package io.numaledger.evaluation.facts;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The ResourceClaims of a pod: those that its spec names, and those that were made for it.
 *
 * @param byName name within the pod → name of the claim in its namespace; empty: it is not made yet. In the order of the spec, in which
 *     kube-scheduler allocates
 * @param extendedResources the claim for extended resources that Dynamic Resource Allocation serves; absent: it has none, or none yet
 */
public record PodClaims(Map<String, String> byName, Optional<String> extendedResources) {

    public static final PodClaims NONE = new PodClaims(Map.of(), Optional.empty());

    public PodClaims {
        byName = Collections.unmodifiableMap(new LinkedHashMap<>(byName));
    }

    public boolean isEmpty() {
        return byName.isEmpty() && extendedResources.isEmpty();
    }

    /** Whether one of them is not made yet. */
    public boolean areMissing() {
        return byName.containsValue("");
    }

    /** The names of those that are made, in kube-scheduler's order. */
    public List<String> names() {
        return Stream.concat(byName.values().stream(), extendedResources.stream())
                .filter(name -> !name.isEmpty())
                .distinct()
                .toList();
    }
}
