package io.numaledger.nrt;

import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The deprecated field {@code topologyPolicies} of a NodeResourceTopology: policy and scope of the Topology Manager in one word.
 * Readers use it only if the object has no attribute {@code topologyManagerPolicy}.
 */
public final class LegacyPolicy {

    private static final String POD_LEVEL = "PodLevel";

    private LegacyPolicy() {}

    /** One word, such as {@code RestrictedPodLevel}; none if the policy is unknown. */
    public static List<String> words(KubeletSettings kubelet) {
        String level =
                kubelet.topologyManagerScope().equals(Optional.of(TopologyScope.POD)) ? POD_LEVEL : "ContainerLevel";
        return kubelet
                .topologyManagerPolicy()
                .map(policy -> switch (policy) {
                    case SINGLE_NUMA_NODE -> "SingleNUMANode" + level;
                    case RESTRICTED -> "Restricted" + level;
                    case BEST_EFFORT -> "BestEffort" + level;
                    case NONE -> "None";
                })
                .stream()
                .toList();
    }

    static void addTo(SortedMap<String, String> attributes, String word) {
        if (attributes.containsKey(TopologyAttributes.TOPOLOGY_POLICY)) {
            return;
        }
        TopologyPolicyName policy = switch (word) {
            case "SingleNUMANodePodLevel", "SingleNUMANodeContainerLevel" -> TopologyPolicyName.SINGLE_NUMA_NODE;
            case "Restricted", "RestrictedPodLevel", "RestrictedContainerLevel" -> TopologyPolicyName.RESTRICTED;
            case "BestEffort", "BestEffortPodLevel", "BestEffortContainerLevel" -> TopologyPolicyName.BEST_EFFORT;
            default -> TopologyPolicyName.NONE;
        };
        TopologyScope scope = word.endsWith(POD_LEVEL) ? TopologyScope.POD : TopologyScope.CONTAINER;
        attributes.put(TopologyAttributes.TOPOLOGY_POLICY, policy.toString());
        attributes.put(TopologyAttributes.TOPOLOGY_SCOPE, scope.toString());
    }
}
