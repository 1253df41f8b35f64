package io.numaledger.simulator.apiserver;

import java.io.IOException;
import java.util.OptionalInt;

/** Ends a watch in its middle: after a number of events, or when all watches are cut. */
final class WatchCut {

    private final ObjectStore store;
    private final long cutsBefore;
    private final OptionalInt afterEvents;
    private int sent;

    WatchCut(ObjectStore store, OptionalInt afterEvents) {
        this.store = store;
        this.cutsBefore = store.watchCuts();
        this.afterEvents = afterEvents;
    }

    /** How often all watches had been cut when this one began. */
    long cutsBefore() {
        return cutsBefore;
    }

    /** @throws IOException if the watch is to be cut now */
    void check() throws IOException {
        boolean enough = afterEvents.isPresent() && sent >= afterEvents.getAsInt();
        if (enough || store.watchCuts() != cutsBefore) {
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
