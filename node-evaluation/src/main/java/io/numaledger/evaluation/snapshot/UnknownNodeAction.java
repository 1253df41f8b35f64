package io.numaledger.evaluation.snapshot;

/** What happens to a pod that needs alignment, on a node without a kubelet model. */
public enum UnknownNodeAction {
    /** The node is not filtered. */
    ADMIT,
    /** The node is refused until its zones are published. */
    HOLD,
    /** The node is refused: its zones were not published in time, or it is configured so. */
    REFUSE
}
