package io.numaledger.bridge.evaluation;

import io.numaledger.kubelet.admission.Refusal;

import java.util.stream.Stream;

/** Why a pod must not run on a node. The first four are the reasons that the kubelet writes into the pod's status. */
public enum RefusalReason {
    TOPOLOGY_AFFINITY_ERROR("TopologyAffinityError"),
    UNEXPECTED_ADMISSION_ERROR("UnexpectedAdmissionError"),
    SMT_ALIGNMENT_ERROR("SMTAlignmentError"),
    EMPTY_POD_SHARED_POOL_ERROR("EmptyPodSharedPoolError"),
    /** The kubelet would panic or hang. */
    KUBELET_FAILURE("KubeletFailure"),
    /** The pod would spread over more NUMA nodes than its annotation allows. */
    NUMA_SPREAD_EXCEEDED("NumaSpreadExceeded"),
    /** The pod's annotation for the maximum NUMA spread is invalid. */
    NUMA_SPREAD_INVALID("NumaSpreadInvalid"),
    /** The pod could get GPUs without the links that its annotations demand. */
    GPU_LINKS_MISSING("GpuLinksMissing"),
    /** The pod's annotations for the links of its GPUs are invalid. */
    GPU_LINKS_INVALID("GpuLinksInvalid"),
    /** The node's zones are not known yet. */
    ZONES_PENDING("ZonesPending"),
    /** The node's zones are unknown. */
    ZONES_UNKNOWN("ZonesUnknown"),
    /** The kubelet has rejected an equal pod, although it was predicted to fit. */
    REJECTED_BY_KUBELET("RejectedByKubelet"),
    /** The kubelet may have placed the pods in flight in more ways than are followed. */
    PODS_IN_FLIGHT("PodsInFlight"),
    /** The free zones are reserved for a pod that has been pending for longer. */
    RESERVED_FOR_OLDER_POD("ReservedForOlderPod"),
    /** The zones are for a pod for which others are evicted on the node. */
    RESERVED_FOR_NOMINATED_POD("ReservedForNominatedPod"),
    /** The zones are for pods of a group that are about to be bound. */
    RESERVED_FOR_GROUP("ReservedForGroup"),
    /** The pod's group does not fit as a whole. */
    GROUP_DOES_NOT_FIT("GroupDoesNotFit"),
    /** The pod's group fits if this pod runs on another node. */
    PLANNED_FOR_ANOTHER_NODE("PlannedForAnotherNode");

    private final String text;

    RefusalReason(String text) {
        this.text = text;
    }

    static RefusalReason of(Refusal.Reason reason) {
        return switch (reason) {
            case TOPOLOGY_AFFINITY -> TOPOLOGY_AFFINITY_ERROR;
            case UNEXPECTED_ADMISSION -> UNEXPECTED_ADMISSION_ERROR;
            case SMT_ALIGNMENT -> SMT_ALIGNMENT_ERROR;
            case EMPTY_POD_SHARED_POOL -> EMPTY_POD_SHARED_POOL_ERROR;
        };
    }

    /** Whether the reason in a pod's status says that its kubelet did not admit it. */
    public static boolean isByKubelet(String reason) {
        return reason.startsWith("OutOf") || isForZones(reason);
    }

    /** Whether the reason in a pod's status says that its kubelet did not admit it for its zones. */
    public static boolean isForZones(String reason) {
        return Stream.of(Refusal.Reason.values()).anyMatch(each -> of(each).text.equals(reason));
    }

    /** In CamelCase, as in events, metrics and the API. */
    @Override
    public String toString() {
        return text;
    }
}
