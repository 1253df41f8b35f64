package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.group.TopologyPlace;

import java.io.IOException;
import java.util.Optional;

/** Port: what the API server does to pods of a gated group. */
public interface GroupWriter {

    /**
     * Ties exactly this instance of a pod to a node, and removes the gate of groups, in one step. Other gates stay.
     *
     * @param place written to the pod, too
     * @throws IOException naming the pod, if the API server does not
     */
    void release(PodFacts pod, String node, Optional<TopologyPlace> place) throws IOException;

    /**
     * Evicts exactly this instance of a pod, so that its controller makes another one, with a gate.
     *
     * @throws IOException naming the pod, if the API server does not
     */
    void evict(PodFacts pod) throws IOException;

    /**
     * Evicts exactly this instance of a pod for a group of higher priority.
     *
     * @throws IOException naming the pod, if the API server does not, or a disruption budget forbids it
     */
    void preempt(PodFacts victim) throws IOException;
}
