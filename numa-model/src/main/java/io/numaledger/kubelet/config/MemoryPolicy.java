package io.numaledger.kubelet.config;

import java.util.Optional;

/** The Memory Manager's policy. */
public enum MemoryPolicy {
    NONE("None"),
    STATIC("Static");

    private final String text;

    MemoryPolicy(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException naming the text, when it is none of these */
    public static MemoryPolicy parse(String text) {
        return Spellings.parse(MemoryPolicy.class, "memoryManagerPolicy", text);
    }

    /** Empty when the text is none of these. */
    public static Optional<MemoryPolicy> find(String text) {
        return Spellings.find(MemoryPolicy.class, text);
    }

    /** As the kubelet's configuration spells it. */
    @Override
    public String toString() {
        return text;
    }
}
