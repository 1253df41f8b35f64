package io.numaledger.annotation;

import java.io.IOException;
import java.util.Optional;

/** Port: where pods and their annotations are kept. */
public interface PodStore {

    /** What became of a write. */
    enum Written {
        DONE,
        /** The pod is not there any more. */
        GONE,
        /** Another instance has its name by now; it was left alone. */
        OTHER_INSTANCE
    }

    /**
     * Sets, or with an empty value removes, the observed placement of exactly this instance.
     *
     * @throws IOException if the store could not be asked or refused; nothing is known to be written
     */
    Written writeObserved(PodView pod, Optional<String> text) throws IOException;
}
