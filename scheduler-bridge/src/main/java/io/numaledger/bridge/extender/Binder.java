package io.numaledger.bridge.extender;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.placement.Placement;

import java.io.IOException;
import java.util.Optional;

/** Port: writes on the API server what a bind decides. */
public interface Binder {

    /**
     * Binds exactly this instance of the pod to the node, and writes onto it where it is predicted to lie, both or none.
     *
     * @param predicted absent: it holds nothing of its own
     * @throws IOException as a sentence; it is not known to be bound
     */
    void bind(PodFacts pod, String node, Optional<Placement> predicted) throws IOException;

    /**
     * Reads the pod as it is now.
     *
     * @throws IOException if it is gone, or is another instance
     */
    PodFacts read(String namespace, String name, String uid) throws IOException;
}
