package io.numaledger.evaluation.snapshot;

/** Where a pod's placement is taken from, the most certain first. */
public enum PlacementSource {
    /** {@code numaledger.io/placement}. */
    OBSERVED_EXACTLY("observed"),
    /** {@code kai.scheduler/numa-placement-observed} alone. */
    OBSERVED("observed-amounts"),
    /** What this bridge reserved when it bound the pod. */
    RESERVED("reserved"),
    /** {@code kai.scheduler/numa-placement-predicted}. */
    PREDICTED("predicted"),
    /** No record: the kubelet model predicts the placement. */
    EXPECTED("expected"),
    /** No record: what is missing from the topology's available amounts. */
    AGGREGATE("aggregate");

    private final String text;

    PlacementSource(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
