package io.numaledger.scheduling.healing;

import io.numaledger.evaluation.facts.PodFacts;

import java.io.IOException;
import java.util.Optional;

/** Port: who makes another pod when one is evicted. */
@FunctionalInterface
public interface Controllers {

    /**
     * A controller.
     *
     * @param next the pod that it makes when one is evicted, under the name of that one; absent: its template names the node, so that nobody
     *     places it
     */
    record Controller(String uid, Optional<PodFacts> next) {}

    /**
     * The pod's controller; absent: it has none, or the pod is gone.
     *
     * @throws IOException naming the pod, if the API server does not answer
     */
    Optional<Controller> of(PodFacts pod) throws IOException;
}
