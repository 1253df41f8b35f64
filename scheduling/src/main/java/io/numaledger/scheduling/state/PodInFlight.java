package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.PredictedAllocation;
import io.numaledger.placement.Placement;

import java.time.Instant;

/**
 * Resources reserved for a pod from the decision to bind it until an agent observes its placement.
 *
 * @param pod with its node set
 * @param allocation to the id of CPUs and devices
 * @param placement the same as amounts by NUMA node
 * @param adopted another process has decided it: another replica, or this one before it was restarted
 */
public record PodInFlight(
        PodFacts pod, PredictedAllocation allocation, Placement placement, Instant reservedAt, boolean adopted) {

    /** Whether the watch shows the pod as it was when it was reserved: then the snapshots have it already. */
    boolean isShownBy(PodFacts shown) {
        return pod.isSameAs(shown)
                && pod.lifecycle().equals(shown.lifecycle())
                && pod.priority().value() == shown.priority().value()
                && pod.request().equals(shown.request())
                && pod.nodeLevel().equals(shown.nodeLevel())
                && shown.request().initContainers().isEmpty()
                && !shown.observed();
    }
}
