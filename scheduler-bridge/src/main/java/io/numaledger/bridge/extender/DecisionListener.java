package io.numaledger.bridge.extender;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.scheduling.preemption.Victims;

import java.util.SortedMap;

/** Port: is told every decision, for events, metrics and logs. */
public interface DecisionListener {

    void filtered(PodFacts pod, FilterResult result);

    /** No node is left for a pod that the API server shows. */
    void refused(PodFacts pod, FilterResult result);

    /** @param evaluation a fitting one, or a node without zones */
    void bound(PodFacts pod, String node, Evaluation evaluation);

    /** The node does not fit the pod any more. */
    void bindRefused(PodFacts pod, String node, Refused refused);

    /**
     * Pods are to end for one of higher priority, on one of these nodes.
     *
     * @param proposed the number of nodes that kube-scheduler proposed
     * @param victims by node
     */
    void preempting(PodFacts pod, int proposed, SortedMap<String, Victims> victims);

    /** The API server did not accept the binding. */
    void bindFailed(PodFacts pod, String node, String why);
}
