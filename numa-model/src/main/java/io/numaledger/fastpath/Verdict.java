package io.numaledger.fastpath;

import io.numaledger.kubelet.admission.Refusal.Reason;

import java.util.Optional;

/** The fast path's result for one pod on one node. */
public enum Verdict {
    /** The kubelet admits the pod. */
    ADMITTED(Optional.empty()),
    /** No NUMA nodes satisfy the Topology Manager's policy. */
    NOT_ALIGNED(Optional.of(Reason.TOPOLOGY_AFFINITY)),
    /** The whole node has too little of a resource; the managers fail while they allocate. */
    INSUFFICIENT(Optional.of(Reason.UNEXPECTED_ADMISSION)),
    /** No NUMA nodes have enough memory of all requested types together; nothing else is short. */
    INSUFFICIENT_MEMORY(Optional.of(Reason.UNEXPECTED_ADMISSION)),
    /** The CPUs could be aligned, but the request is not a multiple of a physical core. */
    NOT_FULL_CORES(Optional.of(Reason.SMT_ALIGNMENT)),
    /** The fast path does not apply; the full model decides. */
    UNDECIDED(Optional.empty());

    private final Optional<Reason> reason;

    Verdict(Optional<Reason> reason) {
        this.reason = reason;
    }

    /** The reason that the kubelet writes into the pod's status; empty unless it refuses the pod. */
    public Optional<Reason> reason() {
        return reason;
    }

    public boolean isRefused() {
        return reason.isPresent();
    }
}
