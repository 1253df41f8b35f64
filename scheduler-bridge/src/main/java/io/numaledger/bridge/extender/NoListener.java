package io.numaledger.bridge.extender;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.scheduling.preemption.Victims;

import java.util.SortedMap;

/** Is told everything and keeps nothing. */
public final class NoListener implements DecisionListener {

    @Override
    public void filtered(PodFacts pod, FilterResult result) {}

    @Override
    public void refused(PodFacts pod, FilterResult result) {}

    @Override
    public void bound(PodFacts pod, String node, Evaluation evaluation) {}

    @Override
    public void bindRefused(PodFacts pod, String node, Refused refused) {}

    @Override
    public void bindFailed(PodFacts pod, String node, String why) {}

    @Override
    public void preempting(PodFacts pod, int proposed, SortedMap<String, Victims> victims) {}
}
