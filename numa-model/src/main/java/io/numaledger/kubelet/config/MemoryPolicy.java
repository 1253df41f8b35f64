package io.numaledger.kubelet.config;

import java.util.stream.Stream;

/** The Memory Manager's policy. */
public enum MemoryPolicy {
    NONE("None"),
    STATIC("Static");

    private final String text;

    MemoryPolicy(String text) {
        this.text = text;
    }

    /**
     * Reads the text of one.
     *
     * @throws IllegalArgumentException naming the text, when it is none of them
     */
    public static MemoryPolicy parse(String text) {
        return Stream.of(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "unknown Memory Manager policy: memoryManagerPolicy='%s'; use one of %s"
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
