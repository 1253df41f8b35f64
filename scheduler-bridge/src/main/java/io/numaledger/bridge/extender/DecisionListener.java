package io.numaledger.bridge.extender;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.objects.PodFacts;

import java.util.Optional;

/** Port: is told every decision, for events, metrics and logs. */
public interface DecisionListener {

    void filtered(PodFacts pod, FilterResult result);

    /** @param evaluation empty for a node that the API server does not show */
    void bound(PodFacts pod, String node, Optional<Evaluation> evaluation);

    /** The node does not fit the pod any more. */
    void bindRefused(PodFacts pod, String node, Refused refused);

    /** The API server did not accept the binding. */
    void bindFailed(PodFacts pod, String node, String why);
}
