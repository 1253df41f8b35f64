package io.numaledger.apiservers.fake.storage;

import io.numaledger.apiservers.fake.resource.ResourceCatalog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

class ObjectStoreTest {

    /** The client gets the response headers before the server waits for the first change. */
    @Test
    @Timeout(180)
    void aCutIsNotLostOnAWatchThatDoesNotWaitYet() throws Exception {
        ObjectStore store = new ObjectStore(10);
        long seen = store.watchCuts();
        store.cutWatches();

        assertThat(store.changesAfter(ResourceCatalog.PODS, store.revision(), seen, Duration.ofHours(1))
                        .changes())
                .isEmpty();
    }
}
