package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.facts.PodFacts;

import java.io.IOException;

/** Port: what the API server does to pods for one of higher priority. */
public interface Evictor {

    /**
     * Notes in the pod's status on which node others are evicted for it.
     *
     * @throws IOException naming the pod, if the API server does not
     */
    void nominate(PodFacts pod, String node) throws IOException;

    /**
     * Evicts exactly this instance of a pod, respecting disruption budgets.
     *
     * @throws IOException naming the pod and the reason, if the API server does not
     */
    void evict(PodFacts victim) throws IOException;
}
