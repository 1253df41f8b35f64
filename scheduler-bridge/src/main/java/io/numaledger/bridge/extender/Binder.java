package io.numaledger.bridge.extender;

import io.numaledger.bridge.cluster.PodFacts;

import java.io.IOException;

/** Port: writes on the API server what a bind decides. */
public interface Binder {

    /**
     * Writes the predicted placement onto exactly this instance of the pod.
     *
     * @throws IOException as a sentence; nothing was written
     */
    void annotate(PodFacts pod, String predicted) throws IOException;

    /**
     * Binds the pod to the node.
     *
     * @throws IOException as a sentence; it is not known to be bound
     */
    void bind(PodFacts pod, String node) throws IOException;

    /**
     * Reads the pod as it is now.
     *
     * @throws IOException if it is gone, or is another instance
     */
    PodFacts read(String namespace, String name, String uid) throws IOException;
}
