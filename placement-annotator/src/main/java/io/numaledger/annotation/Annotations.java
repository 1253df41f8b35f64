package io.numaledger.annotation;

/** Names of the pod annotations that carry placements. */
public final class Annotations {

    /** What the kubelet gave the pod, in KAI's form. */
    public static final String OBSERVED = "kai.scheduler/numa-placement-observed";

    /** What a scheduler expects the kubelet to give, written before the pod is bound, in KAI's form. */
    public static final String PREDICTED = "kai.scheduler/numa-placement-predicted";

    /** What the kubelet gave the pod, container by container: {@link AllocationText}. */
    public static final String PLACEMENT = "numaledger.io/placement";

    private Annotations() {}
}
