package io.numaledger.simulator.apiserver;

import java.io.IOException;
import java.util.OptionalInt;

/** Ends a watch in its middle: after a number of events, or when all watches are cut. */
final class WatchCut {

    private final Faults faults;
    private final long epoch;
    private final OptionalInt afterEvents;
    private int sent;

    WatchCut(Faults faults, OptionalInt afterEvents) {
        this.faults = faults;
        this.epoch = faults.watchEpoch();
        this.afterEvents = afterEvents;
    }

    /** @throws IOException if the watch is to be cut now */
    void check() throws IOException {
        boolean enough = afterEvents.isPresent() && sent >= afterEvents.getAsInt();
        if (enough || faults.watchEpoch() != epoch) {
            throw new IOException("a fault cuts this watch: events=%d; watch again".formatted(sent));
        }
    }

    void sent() throws IOException {
        sent++;
        if (afterEvents.isPresent()) {
            check();
        }
    }
}
