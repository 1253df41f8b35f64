package io.numaledger.bridge.audit;

import io.numaledger.bridge.evaluation.PredictedPlacement;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.Confidence;
import io.numaledger.bridge.snapshot.NodeSnapshot;

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
