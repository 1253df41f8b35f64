package io.numaledger.evaluation.facts;

import java.util.Set;

/** The annotations of pods that have to do with topology domains. */
public final class TopologyAnnotations {

    /** Labels of nodes, the outermost first, separated by commas. */
    public static final String LEVELS = "numaledger.io/topology-levels";

    public static final String REQUIRED = "numaledger.io/topology-required";
    public static final String PREFERRED = "numaledger.io/topology-preferred";
    public static final String SLICE_REQUIRED = "numaledger.io/topology-slice-required";
    public static final String SLICE_SIZE = "numaledger.io/topology-slice-size";
    public static final String STRATEGY = "numaledger.io/topology-strategy";

    public static final String KAI_TOPOLOGY = "kai.scheduler/topology";
    public static final String KAI_REQUIRED = "kai.scheduler/topology-required-placement";
    public static final String KAI_PREFERRED = "kai.scheduler/topology-preferred-placement";
    public static final String KAI_SEGMENT_REQUIRED = "kai.scheduler/segment-topology-required-placement";
    public static final String KAI_SEGMENT_SIZE = "kai.scheduler/segment-size";

    public static final String KUEUE_REQUIRED = "kueue.x-k8s.io/podset-required-topology";
    public static final String KUEUE_PREFERRED = "kueue.x-k8s.io/podset-preferred-topology";
    public static final String KUEUE_UNCONSTRAINED = "kueue.x-k8s.io/podset-unconstrained-topology";
    public static final String KUEUE_SLICE_REQUIRED = "kueue.x-k8s.io/podset-slice-required-topology";
    public static final String KUEUE_SLICE_SIZE = "kueue.x-k8s.io/podset-slice-size";

    /** The innermost domain in which a pod is to run: the values of the levels' labels, joined by {@code .}. Written with the planned node. */
    public static final String DOMAIN = "numaledger.io/topology-domain";

    /** The number of a pod in its group, from 0 on, in the order of the domains. Written with the planned node. */
    public static final String RANK = "numaledger.io/rank";

    public static final Set<String> ALL = Set.of(
            LEVELS,
            REQUIRED,
            PREFERRED,
            SLICE_REQUIRED,
            SLICE_SIZE,
            STRATEGY,
            KAI_TOPOLOGY,
            KAI_REQUIRED,
            KAI_PREFERRED,
            KAI_SEGMENT_REQUIRED,
            KAI_SEGMENT_SIZE,
            KUEUE_REQUIRED,
            KUEUE_PREFERRED,
            KUEUE_UNCONSTRAINED,
            KUEUE_SLICE_REQUIRED,
            KUEUE_SLICE_SIZE,
            DOMAIN,
            RANK);

    private TopologyAnnotations() {}
}
