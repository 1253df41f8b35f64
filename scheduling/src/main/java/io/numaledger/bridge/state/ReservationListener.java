package io.numaledger.bridge.state;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.PredictedPlacement;
import io.numaledger.bridge.objects.PodFacts;

/** Port: is told what became of bound pods. */
@FunctionalInterface
public interface ReservationListener {

    /**
     * A pod is to be bound, and its predicted placement is reserved. Nothing changes on the node meanwhile, so it returns at once.
     *
     * @param pod with its node set
     * @param node as it was evaluated
     */
    default void predicted(PodFacts pod, PossibleSnapshots node, PredictedPlacement placement) {}

    /** The pod was not bound after all. */
    default void cancelled(PodFacts pod) {}

    /** The pod was observed, has failed or has ended. */
    void released(PodFacts pod, PodInFlight reservation);

    /**
     * The kubelet rejected a pod that this bridge had bound.
     *
     * @param pod with the kubelet's reason
     * @param evaluation why it had been bound
     */
    default void rejected(PodFacts pod, Evaluation evaluation) {}
}
