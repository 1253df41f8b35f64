package io.numaledger.evaluation.facts;

import java.util.Optional;

/**
 * KAI-Scheduler's decision to bind a pod, which its binder then carries out (BindRequest, scheduling.run.ai/v1alpha2).
 *
 * @param podUid the owner of the request; absent if it has none
 * @param node the selected node
 * @param predicted the predicted placement, in the format of {@code kai.scheduler/numa-placement-predicted}; absent if there is none
 * @param failed the binder has given up
 */
public record BindRequest(
        String podNamespace,
        String podName,
        Optional<String> podUid,
        String node,
        Optional<String> predicted,
        boolean failed) {

    /** The pod's {@code namespace/name}. */
    public String podKey() {
        return podNamespace + "/" + podName;
    }

    /** Whether it decides where this pod goes. */
    public boolean places(PodFacts pod) {
        return isCarriedOutFor(pod) && pod.node().isEmpty();
    }

    /** Whether the pod is, or is to be, what it says: another pod may have had the name before. */
    public boolean isCarriedOutFor(PodFacts pod) {
        return !failed
                && podUid.filter(uid -> !pod.uid().equals(Optional.of(uid))).isEmpty()
                && pod.node().filter(bound -> !bound.equals(node)).isEmpty()
                && !pod.terminating()
                && !pod.ended();
    }

    /** The pod as the binder will bind it. */
    public PodFacts bound(PodFacts pod) {
        PodFacts bound = pod.onNode(node);
        return predicted.map(bound::withPredicted).orElse(bound);
    }
}
