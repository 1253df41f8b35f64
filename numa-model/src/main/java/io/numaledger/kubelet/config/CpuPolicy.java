package io.numaledger.kubelet.config;

import java.util.stream.Stream;

/** The CPU Manager's policy. */
public enum CpuPolicy {
    NONE("none"),
    STATIC("static");

    private final String text;

    CpuPolicy(String text) {
        this.text = text;
    }

    /**
     * Reads the text of one.
     *
     * @throws IllegalArgumentException naming the text, when it is none of them
     */
    public static CpuPolicy parse(String text) {
        return Stream.of(values())
                .filter(each -> each.text.equals(text))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("unknown CPU Manager policy: cpuManagerPolicy='%s'; use one of %s"
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
