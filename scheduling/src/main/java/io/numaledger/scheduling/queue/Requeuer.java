package io.numaledger.scheduling.queue;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.Optional;

/** Port: asks kube-scheduler to try a pending pod again. */
@FunctionalInterface
public interface Requeuer {

    /** Takes the place of a node's name: the pod is nominated for none from now on. */
    String NO_NODE = "";

    /**
     * Asks for another attempt. The request may be lost.
     *
     * @param node for which the pod is nominated: kube-scheduler looks at it first, and at no other if it takes the pod there; absent:
     *     nothing is changed about that
     */
    void requeue(PodFacts pod, Optional<String> node);
}
