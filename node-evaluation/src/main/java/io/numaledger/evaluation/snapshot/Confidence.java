package io.numaledger.evaluation.snapshot;

/** How certain the state of a node is. */
public enum Confidence {
    /** Everything that decides is published and observed. */
    EXACT("exact"),
    /** The kubelet model predicted something, or something is assumed. */
    PREDICTED("predicted"),
    /** What some pod holds is known only as a sum over pods, or nothing is known at all. */
    AGGREGATE("aggregate");

    private final String text;

    Confidence(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
