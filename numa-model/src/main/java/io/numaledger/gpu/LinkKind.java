package io.numaledger.gpu;

import java.util.Locale;

/** What the NVLinks of a machine lead to. */
public enum LinkKind {
    /** Links from GPU to GPU: the links of a pair are that pair's own. */
    DIRECT,
    /** Links to switches: the links of a pair are those that each of the two has to the fabric, shared with all others. */
    SWITCH,
    /** There are no NVLinks. */
    NONE;

    /** The lower-case word used in files and annotations. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The reverse of {@link #text}.
     *
     * @throws IllegalArgumentException for a word that is none of the three
     */
    public static LinkKind parse(String text) {
        for (LinkKind kind : values()) {
            if (kind.text().equals(text)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "not a kind of link: link_kind='%s'; expected direct, switch or none".formatted(text));
    }
}
