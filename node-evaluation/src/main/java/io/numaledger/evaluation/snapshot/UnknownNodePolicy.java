package io.numaledger.evaluation.snapshot;

/** How the bridge treats nodes without a kubelet model, for pods that need alignment; the values of {@code --unknown-nodes}. */
public enum UnknownNodePolicy {
    /** Holds a node if zones are to be expected there: see {@link UnknownNodes#action}. Admits pods to other nodes. */
    auto,
    /** Never filters such nodes. */
    admit,
    /** Refuses such nodes until their zones are published. */
    hold,
    /** Refuses such nodes. */
    refuse
}
