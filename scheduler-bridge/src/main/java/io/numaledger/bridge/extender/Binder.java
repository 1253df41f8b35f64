package io.numaledger.bridge.extender;

import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;

import java.io.IOException;
import java.util.Optional;

/** Port: writes bindings to the API server. */
public interface Binder {

    /**
     * Binds exactly this instance of the pod to the node and writes its predicted placement, in one step.
     *
     * @param predicted absent for a node whose kubelet is not modelled
     * @throws RefusedException with a message for the scheduler; this call has not bound the pod
     * @throws IOException the same; the pod may or may not be bound
     */
    void bind(PodFacts pod, String node, Optional<PredictedPlacement> predicted) throws IOException;

    /**
     * Reads the current pod.
     *
     * @return absent if it is deleted, or another instance has its name
     * @throws IOException if the API server gives no answer
     */
    Optional<PodFacts> read(String namespace, String name, String uid) throws IOException;

    /**
     * Reads the current ResourceClaim; absent if there is none.
     *
     * @throws IOException if the API server gives no answer, or one that cannot be read
     */
    Optional<ResourceClaim> readClaim(String namespace, String name) throws IOException;

    /** The API server refused a binding, or was not asked. */
    final class RefusedException extends IOException {

        private static final long serialVersionUID = 1;

        public RefusedException(String message) {
            super(message);
        }

        public RefusedException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
