package io.numaledger.kubelet.config;

import java.util.Optional;

/** The Topology Manager's policy. */
public enum TopologyPolicyName {
    NONE("none"),
    BEST_EFFORT("best-effort"),
    RESTRICTED("restricted"),
    SINGLE_NUMA_NODE("single-numa-node");

    private final String text;

    TopologyPolicyName(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException naming the text, when it is none of these */
    public static TopologyPolicyName parse(String text) {
        return Spellings.parse(TopologyPolicyName.class, "topologyManagerPolicy", text);
    }

    /** Empty when the text is none of these. */
    public static Optional<TopologyPolicyName> find(String text) {
        return Spellings.find(TopologyPolicyName.class, text);
    }

    /** As the kubelet's configuration spells it. */
    @Override
    public String toString() {
        return text;
    }
}
