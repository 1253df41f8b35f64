package io.numaledger.kubelet;

/**
 * The answer to one pod, and the node right after it. A refused pod may still hold something there: it is among
 * {@link NodeState#gone} and is swept before the next admission, as in the kubelet.
 */
public record Decision(Admission admission, NodeState state) {}
