package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.PodFacts;

/** Port: hears what became of reservations. */
@FunctionalInterface
public interface ReservationListener {

    /** The pod was observed, or failed, or ended. */
    void released(PodFacts pod, Reservation reservation);
}
