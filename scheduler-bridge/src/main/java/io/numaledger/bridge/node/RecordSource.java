package io.numaledger.bridge.node;

/** Where a pod's placement is taken from, the best first. */
public enum RecordSource {
    /** {@code numaledger.io/placement}. */
    OBSERVED_EXACTLY("observed"),
    /** {@code kai.scheduler/numa-placement-observed} alone. */
    OBSERVED("observed-amounts"),
    /** What this bridge reserved when it bound the pod. */
    RESERVED("reserved"),
    /** {@code kai.scheduler/numa-placement-predicted}. */
    PREDICTED("predicted"),
    /** Nothing: the kubelet model says where it will lie. */
    EXPECTED("expected"),
    /** Nothing: what the topology's available amounts lack. */
    AGGREGATE("aggregate");

    private final String text;

    RecordSource(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
