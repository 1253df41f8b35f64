package io.numaledger.bridge.extender;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.preemption.Victims;

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
