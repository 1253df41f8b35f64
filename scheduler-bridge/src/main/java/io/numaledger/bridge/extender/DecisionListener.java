package io.numaledger.bridge.extender;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.objects.PodFacts;

/** Port: is told every decision, for events, metrics and logs. */
public interface DecisionListener {

    /** @param shown whether the API server shows the pod; otherwise only the caller does */
    void filtered(PodFacts pod, boolean shown, FilterResult result);

    /** @param evaluation a fitting one, or a node without zones */
    void bound(PodFacts pod, String node, Evaluation evaluation);

    /** The node does not fit the pod any more. */
    void bindRefused(PodFacts pod, String node, Refused refused);

    /** The API server did not accept the binding. */
    void bindFailed(PodFacts pod, String node, String why);
}
