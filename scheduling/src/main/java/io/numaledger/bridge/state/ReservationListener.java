package io.numaledger.bridge.state;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.objects.PodFacts;

/** Port: is told what became of bound pods. */
@FunctionalInterface
public interface ReservationListener {

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
