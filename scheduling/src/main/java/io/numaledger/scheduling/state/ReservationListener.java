package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.PredictedPlacement;

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
