package io.numaledger.bridge.node;

/** How well a node's state is known. */
public enum Confidence {
    /** Everything that decides is published and observed. */
    EXACT("exact"),
    /** Something is predicted by the kubelet model, or taken for granted. */
    PREDICTED("predicted"),
    /** Somebody's holdings are known as a sum over the node's zones only, or nothing is known at all. */
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
