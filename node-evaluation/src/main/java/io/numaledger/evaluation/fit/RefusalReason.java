package io.numaledger.evaluation.fit;

import io.numaledger.kubelet.admission.Refusal;

import java.util.stream.Stream;

/**
 * Why a pod must not run on a node. The first four are the reasons that the kubelet writes into the pod's status.
 * {@code docs/reference/decisions.md} has them as a table.
 */
public enum RefusalReason {
    TOPOLOGY_AFFINITY_ERROR(
            "TopologyAffinityError",
            About.ZONES,
            "The kubelet's Topology Manager would refuse the pod: no set of zones satisfies the policy. The sentence names the resource that is short, the zones, and the pods that hold it; if none is short by itself, where each resource is free.",
            "Wait, end one of the named pods, or request less. With policy `single-numa-node`, all resources of a container must come from one zone."),
    UNEXPECTED_ADMISSION_ERROR(
            "UnexpectedAdmissionError",
            About.ZONES,
            "A resource manager of the kubelet would fail: a resource or a type of memory is exhausted. Or enough memory is free, but not in zones that the Memory Manager may combine: a zone from which a pod has all its memory is not combined with others, and zones that a pod uses together stay together. The sentence lists the zones with their pods.",
            "Wait until these pods have ended, or request less. Compare `reservedMemory` and `reservedSystemCPUs` with what the pod requests."),
    SMT_ALIGNMENT_ERROR(
            "SMTAlignmentError",
            About.ZONES,
            "The node has the CPU Manager option `full-pcpus-only`, and the CPU request is not a multiple of the threads per core.",
            "Request a multiple, usually an even number of CPUs."),
    EMPTY_POD_SHARED_POOL_ERROR(
            "EmptyPodSharedPoolError",
            About.ZONES,
            "The pod has pod-level resources, and its containers with exclusive CPUs leave none for the others.",
            "Raise the pod-level CPU request, or give fewer exclusive CPUs to the containers."),
    KUBELET_FAILURE(
            "KubeletFailure",
            About.UNKNOWN,
            "This request would make the kubelet panic or hang.",
            "Change the request. The sentence names the cause."),
    NUMA_SPREAD_EXCEEDED(
            "NumaSpreadExceeded",
            About.ZONES,
            "The pod would use more zones than its annotation `kai.scheduler/max-numa-spread` allows.",
            "Wait for a node with the free amounts on fewer zones, or raise the value."),
    NUMA_SPREAD_INVALID(
            "NumaSpreadInvalid",
            About.REQUEST,
            "The annotation is not a whole number of 1 or more.",
            "Correct or remove the annotation."),
    GPU_LINKS_MISSING(
            "GpuLinksMissing",
            About.LINKS,
            "The kubelet could give GPUs to the pod that lack the NVLinks that its annotations demand, or the links of the node's GPUs are unknown.",
            "Wait for other GPUs, or use `preferred`."),
    GPU_LINKS_INVALID(
            "GpuLinksInvalid",
            About.REQUEST,
            "An annotation for the links of GPUs is invalid.",
            "Correct or remove the annotation."),
    CLAIMS_NOT_ALIGNED(
            "ClaimsNotAligned",
            About.CLAIMS,
            "The pod demands that the devices of its ResourceClaims lie on the NUMA nodes of its CPUs and memory, and they would not, or it is unknown where they would lie. The sentence has both places.",
            "Wait for other devices or CPUs, or use `preferred`. The pod needs CPUs or memory of its own: be Guaranteed with whole CPUs on a node with a Static CPU Manager."),
    CLAIM_ALIGNMENT_INVALID(
            "ClaimAlignmentInvalid",
            About.REQUEST,
            "The annotation `numaledger.io/claim-alignment` is invalid.",
            "Correct or remove the annotation."),
    ZONES_PENDING(
            "ZonesPending",
            About.UNKNOWN,
            "There is no model of the node yet, or the amounts of a resource that the pod requests have just changed, so that the kubelet's decision cannot be predicted. The node is held.",
            "Wait: after a device plugin has started or stopped, zones are known after seconds, and after 30 seconds at the latest. If it lasts, check the agent on that node: `kubectl numa nodes -o wide` shows the reason. `--unknown-nodes=admit` disables the check for what stays unknown."),
    ZONES_UNKNOWN(
            "ZonesUnknown",
            About.UNKNOWN,
            "There is no model of the node, or it lacks a resource that the pod requests because its published amounts contradict each other; and the node was held for too long, or `--unknown-nodes=refuse` is set.",
            "As for `ZonesPending`."),
    KUBELET_RESTARTING(
            "KubeletRestarting",
            About.UNKNOWN,
            "The node's kubelet restarts. Until it has heard of its pods, it may refuse pods that need exclusive CPUs, Static memory or devices, for what ended pods held. The node is held for such pods.",
            "Wait: the agent reports when the kubelet lists its pods again, usually after seconds. If it lasts on a node that is ready, check the agent on that node."),
    REJECTED_BY_KUBELET(
            "RejectedByKubelet",
            About.ZONES,
            "The kubelet of the node has rejected an equal pod after a bind, although it was predicted to fit. The sentence has what the kubelet, or the device plugin that it asked, said. The node is tried again after 10 s, then after 20 s, and so on up to 10 minutes.",
            "Wait: `kubectl numa explain` says when the next attempt is. The log event `pod.rejected` has the prediction; please report it if the zones were known."),
    PODS_IN_FLIGHT(
            "PodsInFlight",
            About.PASSING,
            "Pods were bound to the node that no agent has observed yet, and the kubelet may have placed them in more ways than the bridge follows.",
            "Wait until they are observed. If it lasts, look at the node's agent."),
    RESERVED_FOR_OLDER_POD(
            "ReservedForOlderPod",
            About.PASSING,
            "The pod fits, but an older pending pod of the same or a higher priority needs the free zones.",
            "Wait. The reservation ends when the older pod was tried, or after 10 seconds. `--hold-after 0s` disables reservations."),
    RESERVED_FOR_NOMINATED_POD(
            "ReservedForNominatedPod",
            About.PASSING,
            "The pod fits, but other pods of equal or higher priority are nominated for the node: others are evicted there for them, or they have been found to fit there. Some of them fit together without the pod, and not beside it.",
            "Wait until those pods run, or kube-scheduler refuses the node for them. Their `status.nominatedNodeName` is this node."),
    RESERVED_FOR_GROUP(
            "ReservedForGroup",
            About.PASSING,
            "The pod fits, but pods of a group of equal or higher priority are about to be bound there, or fit there when running pods have ended, and need the zones.",
            "Wait: the nodes are kept for seconds, or until a gated group runs, for 5 minutes at most."),
    NODE_DOES_NOT_FIT(
            "NodeDoesNotFit",
            About.NODE,
            "kube-scheduler has looked at a sample of the nodes, and none of them fits. Of the others, this one lacks what the pod requests of the node as a whole, or its labels or taints keep the pod away. Or another pod took, before `bind`, what the pod requests of the node as a whole.",
            "As for kube-scheduler's own refusals: wait, or change the pod or the node."),
    NOT_OFFERED(
            "NotOffered",
            About.PASSING,
            "The pod fits, but kube-scheduler has looked at a sample of the nodes without this one. The bridge nominates the pod for such a node.",
            "Nothing: kube-scheduler tries the pod on its nominated node next."),
    GROUP_DOES_NOT_FIT(
            "GroupDoesNotFit",
            About.GROUP,
            "The pod's group does not fit as a whole, or no room is left beside its other pods.",
            "See the event `GroupUnschedulable` of its PodGroup. Wait, or ask for fewer or smaller pods."),
    PLANNED_FOR_ANOTHER_NODE(
            "PlannedForAnotherNode",
            About.GROUP,
            "The pod's group fits if the pod runs on another node.",
            "Nothing: the pod is bound to its planned node.");

    /** What a reason is about. */
    private enum About {
        /** Amounts of zones, as the kubelet counts. */
        ZONES,
        LINKS,
        CLAIMS,
        /** The pod's own request: no node takes it. */
        REQUEST,
        /** Nothing, or not enough, is known of the node. */
        UNKNOWN,
        /** Pods that start soon: it ends by itself. */
        PASSING,
        /** The node as a whole. */
        NODE,
        GROUP
    }

    private final String text;
    private final About about;
    private final String meaning;
    private final String remedy;

    RefusalReason(String text, About about, String meaning, String remedy) {
        this.text = text;
        this.about = about;
        this.meaning = meaning;
        this.remedy = remedy;
    }

    /** What it means, for people. */
    public String meaning() {
        return meaning;
    }

    /** What they can do. */
    public String remedy() {
        return remedy;
    }

    /** Whether the pod itself is at fault: no node takes it. */
    public boolean isAboutRequest() {
        return about == About.REQUEST;
    }

    public boolean isAboutLinks() {
        return about == About.LINKS;
    }

    public boolean isAboutClaims() {
        return about == About.CLAIMS;
    }

    /** Whether it is not known what the node's kubelet would do. */
    public boolean isUnknown() {
        return about == About.UNKNOWN;
    }

    /** Whether it ends by itself, within seconds as a rule. */
    public boolean isPassing() {
        return about == About.PASSING;
    }

    /** Whether the node as a whole does not take the pod, zones apart. */
    public boolean isAboutNode() {
        return about == About.NODE;
    }

    /** Whether the node is held: it may fit the pod, as soon as more is known of it. */
    public boolean isHold() {
        return this == ZONES_PENDING || this == KUBELET_RESTARTING;
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
