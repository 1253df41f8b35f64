package io.numaledger.nrt;

import java.util.SortedMap;

/**
 * The deprecated {@code topologyPolicies} of a NodeResourceTopology: policy and scope in one word. Readers take it only where
 * the object has no {@code topologyManagerPolicy}.
 */
final class LegacyPolicy {

    private LegacyPolicy() {}

    static void addTo(SortedMap<String, String> attributes, String word) {
        if (attributes.containsKey(TopologyAttributes.TOPOLOGY_POLICY)) {
            return;
        }
        String policy = switch (word) {
            case "SingleNUMANodePodLevel", "SingleNUMANodeContainerLevel" -> "single-numa-node";
            case "Restricted", "RestrictedPodLevel", "RestrictedContainerLevel" -> "restricted";
            case "BestEffort", "BestEffortPodLevel", "BestEffortContainerLevel" -> "best-effort";
            default -> "none";
        };
        attributes.put(TopologyAttributes.TOPOLOGY_POLICY, policy);
        attributes.put(TopologyAttributes.TOPOLOGY_SCOPE, word.endsWith("PodLevel") ? "pod" : "container");
    }
}
