package io.numaledger.bridge.objects;

/** How a scheduler's last attempt to find a node for a pod ended, as the pod's condition PodScheduled says. */
public enum SchedulingAttempt {
    /** There was none, or it found a node. */
    NONE,
    REFUSED,
    /** Nodes refused the pod because of their zones. */
    REFUSED_FOR_ZONES
}
