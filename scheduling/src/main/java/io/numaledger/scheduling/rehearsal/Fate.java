package io.numaledger.scheduling.rehearsal;

/** What becomes of a pod. */
public enum Fate {
    /** It goes on where it is. */
    STAYS("stays", false),
    /** It goes on, or ends: that depends on something that is not published. */
    UNCERTAIN("uncertain", true),
    /** It ends, and another node takes the one that its controller makes. */
    MOVES("moves", false),
    /** It ends, and no node takes the one that its controller makes before its own node is back. */
    WAITS("waits", true),
    /** It ends, and no node takes the one that its controller makes. */
    PENDING("pending", true),
    /** It ends, and nobody makes another one. */
    LOST("lost", true),
    /** A disruption budget allows no eviction. */
    BLOCKED("blocked", true);

    private final String text;
    private final boolean bad;

    Fate(String text, boolean bad) {
        this.text = text;
        this.bad = bad;
    }

    /** Whether the pod may not run afterwards as it ran before, or not without a break. */
    public boolean isBad() {
        return bad;
    }

    /** As in the API. */
    @Override
    public String toString() {
        return text;
    }
}
