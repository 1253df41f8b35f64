package io.numaledger.bridge.healing;

import io.numaledger.bridge.objects.PodFacts;

import java.io.IOException;
import java.util.Optional;

/** Port: who makes another pod when one is evicted. */
@FunctionalInterface
public interface Controllers {

    /**
     * The UID of the pod's controller; absent: it has none, or the pod is gone.
     *
     * @throws IOException naming the pod, if the API server does not answer
     */
    Optional<String> of(PodFacts pod) throws IOException;
}
