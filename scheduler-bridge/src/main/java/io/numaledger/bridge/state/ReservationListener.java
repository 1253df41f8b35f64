package io.numaledger.bridge.state;

import io.numaledger.bridge.objects.PodFacts;

/** Port: is told when reservations end. */
@FunctionalInterface
public interface ReservationListener {

    /** The pod was observed, has failed or has ended. */
    void released(PodFacts pod, Reservation reservation);
}
