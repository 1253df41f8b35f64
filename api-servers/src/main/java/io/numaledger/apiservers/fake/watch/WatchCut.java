package io.numaledger.apiservers.fake.watch;

import io.numaledger.apiservers.fake.storage.ObjectStore;

import java.io.IOException;
import java.util.OptionalInt;

/** Cuts the connection of a watch after a number of events, or when all watches are cut. */
public final class WatchCut {

    private final ObjectStore store;
    private final long cutsBefore;
    private final OptionalInt afterEvents;
    private int sent;

    public WatchCut(ObjectStore store, OptionalInt afterEvents) {
        this.store = store;
        this.cutsBefore = store.watchCuts();
        this.afterEvents = afterEvents;
    }

    /** How many times all watches had been cut when this watch began. */
    long cutsBefore() {
        return cutsBefore;
    }

    /** @throws IOException if the watch must be cut now */
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
