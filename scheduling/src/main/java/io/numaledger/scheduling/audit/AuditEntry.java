package io.numaledger.scheduling.audit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.NodeSnapshot;

import java.time.Instant;
import java.util.Optional;

/**
 * A prediction, and what the kubelet did.
 *
 * @param pod as it was observed or refused
 * @param after the state of the node when that was seen, or shortly after a refusal; absent: the prediction came true, or it is kept no more
 */
public record AuditEntry(
        Prediction prediction, PodFacts pod, Instant at, Outcome outcome, Optional<NodeSnapshot> after) {

    /** The states of the node are kept for misses only. */
    AuditEntry withoutStates() {
        return new AuditEntry(prediction.withState(Optional.empty()), pod, at, outcome, Optional.empty());
    }

    AuditEntry withAfter(NodeSnapshot later) {
        return new AuditEntry(prediction, pod, at, outcome, Optional.of(later));
    }

    AuditEntry ofTiming() {
        return new AuditEntry(prediction, pod, at, Outcome.TIMING, Optional.empty());
    }

    /** Names the pod among all that ever were. */
    public String uid() {
        return pod.uid().orElse("");
    }
}
