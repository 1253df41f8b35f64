package io.numaledger.annotation;

/** Names of the pod annotations about placement. */
public final class Annotations {

    /** What the kubelet allocated to the pod, in KAI's format. */
    public static final String OBSERVED = "kai.scheduler/numa-placement-observed";

    /** What a scheduler expects the kubelet to allocate, written when the pod is bound, in KAI's format. */
    public static final String PREDICTED = "kai.scheduler/numa-placement-predicted";

    /** What the kubelet allocated to each of the pod's containers, see {@link AllocationText}. */
    public static final String PLACEMENT = "numaledger.io/placement";

    /**
     * What a scheduler expects the kubelet to allocate to each container, as {@link AllocationText}. Written when the pod is bound, and only
     * for pods whose plain init containers keep resources that the podresources API does not report.
     */
    public static final String PLACEMENT_PREDICTED = "numaledger.io/placement-predicted";

    /** The maximum number of NUMA zones over which the pod may spread; set by the pod's owner, also read by KAI. */
    public static final String MAX_NUMA_SPREAD = "kai.scheduler/max-numa-spread";

    /** The resources that count for the maximum spread, separated by commas; all if absent. */
    public static final String MAX_NUMA_SPREAD_RESOURCES = "numaledger.io/max-numa-spread-resources";

    /** The links that the pod's GPUs must have: {@code required}, {@code preferred} or {@code none}; set by the pod's owner. */
    public static final String GPU_LINKS = "numaledger.io/gpu-links";

    /** The least sum of links over all pairs of the pod's GPUs. */
    public static final String GPU_LINKS_MIN = "numaledger.io/gpu-links-min";

    /**
     * Whether the devices of the pod's claims must lie on the NUMA nodes of its CPUs and memory: {@code required}, {@code preferred} or
     * {@code none}; set by the pod's owner.
     */
    public static final String CLAIM_ALIGNMENT = "numaledger.io/claim-alignment";

    /**
     * A longer placement record is neither written nor read, because all annotations of a pod may have 256 KiB together. The longest that a
     * pod needs has about 40 KiB: 100 containers with a memory block on 64 NUMA nodes each, 1024 CPUs of which no two are neighbours, and 16
     * devices whose ids have 100 characters.
     */
    public static final int MAX_RECORD_BYTES = 128 << 10;

    private static final int SHOWN = 200;

    private Annotations() {}

    /** The beginning of a text that anybody may have written. */
    static String shortened(String text) {
        return text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text;
    }
}
