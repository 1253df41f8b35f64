package io.numaledger.kubelet.config;

import java.util.stream.Stream;

/** What the Topology Manager aligns as a whole: each container by itself, or the pod. */
public enum TopologyScope {
    CONTAINER("container"),
    POD("pod");

    private final String text;

    TopologyScope(String text) {
        this.text = text;
    }

    /**
     * Reads the text of one.
     *
     * @throws IllegalArgumentException naming the text, when it is none of them
     */
    public static TopologyScope parse(String text) {
        return Stream.of(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown Topology Manager scope: topologyManagerScope='%s'; use one of %s"
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
