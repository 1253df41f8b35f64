package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.SchedulingRequest;

/**
 * A pod that every node refused in its last filter call, as the queue knows it at one instant: all that evaluations read of it. Two are equal
 * if the pod has not left the queue between them.
 */
public final class PendingPod {

    final PodFacts pod;

    /** When the pod was first refused, in nanoseconds of the queue's clock. */
    final long since;

    /** Nodes with a later version than this changed after it was refused for lack of zones, and may be reserved for it. */
    final long refusedAtVersion;

    private final SchedulingRequest request;

    /** Made when the pod enters the queue. */
    private final Object entry;

    PendingPod(PodFacts pod, long since, long refusedAtVersion) {
        this(pod, since, refusedAtVersion, SchedulingRequest.of(pod), new Object());
    }

    private PendingPod(PodFacts pod, long since, long refusedAtVersion, SchedulingRequest request, Object entry) {
        this.pod = pod;
        this.since = since;
        this.refusedAtVersion = refusedAtVersion;
        this.request = request;
        this.entry = entry;
    }

    /** The pod after it was refused for lack of zones again. */
    PendingPod refusedAgain(long version) {
        return new PendingPod(pod, since, Math.max(refusedAtVersion, version), request, entry);
    }

    SchedulingRequest request() {
        return request;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PendingPod pending && pending.entry == entry;
    }

    @Override
    public int hashCode() {
        return entry.hashCode();
    }
}
