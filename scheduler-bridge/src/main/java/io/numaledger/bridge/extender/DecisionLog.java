package io.numaledger.bridge.extender;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Verdict;

import java.util.Map;
import java.util.Optional;

/** Port: hears every decision, for events, metrics and logs. */
public interface DecisionLog {

    /**
     * @param kept how many nodes are left
     * @param refused why → of how many nodes
     * @param invalid why the pod itself is refused; empty: it is not
     */
    void filtered(PodFacts pod, int kept, Map<Outcome, Integer> refused, String invalid);

    void bound(PodFacts pod, String node, Optional<Verdict> verdict);

    /** The node does not take the pod any more. */
    void bindRefused(PodFacts pod, String node, Verdict verdict);

    /** The API server did not take the binding. */
    void bindFailed(PodFacts pod, String node, String why);
}
