package io.numaledger.annotation;

/** Names of the pod annotations that carry placements. */
public final class Annotations {

    /** What the kubelet gave the pod, in KAI's form. */
    public static final String OBSERVED = "kai.scheduler/numa-placement-observed";

    private Annotations() {}
}
