package io.numaledger.kubelet.config;

import java.util.Optional;

/** What the Topology Manager aligns as a unit: each container, or the pod. */
public enum TopologyScope {
    CONTAINER("container"),
    POD("pod");

    private final String text;

    TopologyScope(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException naming the text, when it is none of these */
    public static TopologyScope parse(String text) {
        return Spellings.parse(TopologyScope.class, "topologyManagerScope", text);
    }

    /** Empty when the text is none of these. */
    public static Optional<TopologyScope> find(String text) {
        return Spellings.find(TopologyScope.class, text);
    }

    /** As the kubelet's configuration spells it. */
    @Override
    public String toString() {
        return text;
    }
}
