package io.numaledger.annotation;

import java.io.IOException;

/** Port: where pods and their annotations are kept. */
public interface PodStore {

    /** What became of a write. */
    enum Written {
        DONE,
        /** The pod is not there any more. */
        GONE,
        /** Another instance has the pod's name by now; it was left alone. */
        OTHER_INSTANCE
    }

    /**
     * Makes the records of exactly this instance say this; a record that is absent is removed. Called by several threads at a time.
     *
     * @throws IOException if the store is unreachable or rejects the request; it is unknown whether something was written
     */
    Written write(PodView pod, PodRecords records) throws IOException;
}
