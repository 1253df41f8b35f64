package io.numaledger.kubelet.config;

import java.util.Collections;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/** Topology Manager: policy, scope, and the policy options as written. */
public record TopologyManagerConfig(TopologyPolicyName policy, TopologyScope scope, SortedMap<String, String> options) {

    public static final TopologyManagerConfig OFF = of(TopologyPolicyName.NONE, TopologyScope.CONTAINER);

    public TopologyManagerConfig {
        options = sorted(options);
    }

    public static TopologyManagerConfig of(TopologyPolicyName policy, TopologyScope scope) {
        return new TopologyManagerConfig(policy, scope, Collections.emptySortedMap());
    }

    /** Whether a policy option belongs to the Topology Manager; the others belong to the CPU Manager. */
    public static boolean isOption(String name) {
        return TopologyOptions.isKnown(name);
    }
}
