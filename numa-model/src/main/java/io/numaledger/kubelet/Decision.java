package io.numaledger.kubelet;

/**
 * The kubelet's decision on one pod, and the node's state right after it. A refused pod may still hold allocations: it is among
 * {@link NodeState#stale}, and the next admission removes them, as in the kubelet.
 */
public record Decision(Admission admission, NodeState state) {}
