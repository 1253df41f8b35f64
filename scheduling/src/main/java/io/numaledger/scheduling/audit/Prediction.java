package io.numaledger.scheduling.audit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.Confidence;
import io.numaledger.evaluation.snapshot.NodeSnapshot;

import java.time.Instant;
import java.util.Optional;

/**
 * A placement that was predicted when a pod was bound.
 *
 * @param pod with its node set
 * @param confidence of the node's state at that time
 * @param states how many states of the node were possible
 * @param seen the likeliest one, without the pod; absent: it is kept no more
 */
public record Prediction(
        PodFacts pod,
        PredictedPlacement placement,
        Instant at,
        Confidence confidence,
        int states,
        Optional<NodeSnapshot> seen) {

    public String node() {
        return pod.node().orElseThrow();
    }

    Prediction withState(Optional<NodeSnapshot> state) {
        return new Prediction(pod, placement, at, confidence, states, state);
    }
}
