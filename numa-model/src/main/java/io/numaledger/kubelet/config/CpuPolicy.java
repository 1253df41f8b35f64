package io.numaledger.kubelet.config;

import java.util.Optional;

/** The CPU Manager's policy. */
public enum CpuPolicy {
    NONE("none"),
    STATIC("static");

    private final String text;

    CpuPolicy(String text) {
        this.text = text;
    }

    /** @throws IllegalArgumentException naming the text, when it is none of these */
    public static CpuPolicy parse(String text) {
        return Spellings.parse(CpuPolicy.class, "cpuManagerPolicy", text);
    }

    /** Empty when the text is none of these. */
    public static Optional<CpuPolicy> find(String text) {
        return Spellings.find(CpuPolicy.class, text);
    }

    /** As the kubelet's configuration spells it. */
    @Override
    public String toString() {
        return text;
    }
}
