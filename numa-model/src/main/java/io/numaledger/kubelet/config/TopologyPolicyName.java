package io.numaledger.kubelet.config;

import java.util.stream.Stream;

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

    /**
     * Reads the text of one.
     *
     * @throws IllegalArgumentException naming the text, when it is none of them
     */
    public static TopologyPolicyName parse(String text) {
        return Stream.of(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown Topology Manager policy: topologyManagerPolicy='%s'; use one of %s"
                                .formatted(
                                        text,
                                        Stream.of(values())
                                                .map(Object::toString)
                                                .toList())));
    }

    /** As the kubelet's configuration writes it. */
    @Override
    public String toString() {
        return text;
    }
}
