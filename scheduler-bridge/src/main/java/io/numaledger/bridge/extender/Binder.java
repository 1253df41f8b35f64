package io.numaledger.bridge.extender;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.placement.Placement;

import java.io.IOException;
import java.util.Optional;

/** Port: writes bindings to the API server. */
public interface Binder {

    /**
     * Binds exactly this instance of the pod to the node and writes its predicted placement, in one step.
     *
     * @param predicted absent for a pod without resources of its own
     * @throws IOException with a message for the scheduler; the pod may or may not be bound
     */
    void bind(PodFacts pod, String node, Optional<Placement> predicted) throws IOException;

    /**
     * Reads the current pod.
     *
     * @throws IOException if it is deleted, or another instance has its name
     */
    PodFacts read(String namespace, String name, String uid) throws IOException;
}
