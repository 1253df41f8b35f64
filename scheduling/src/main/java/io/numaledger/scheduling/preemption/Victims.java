package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The pods that have to end so that others can run.
 *
 * @param pods the least important first; empty: they could run now, or as soon as terminating pods have ended
 * @param violations how many of them a disruption budget protects
 */
public record Victims(List<PodFacts> pods, int violations) {

    static final Comparator<PodFacts> LEAST_IMPORTANT_FIRST =
            Comparator.<PodFacts>comparingInt(pod -> pod.priority().value()).thenComparing(PodFacts.BY_AGE.reversed());

    public Victims {
        pods = List.copyOf(pods);
    }

    public static Victims of(Collection<PodFacts> pods, DisruptionBudgets budgets) {
        return new Victims(
                pods.stream().sorted(LEAST_IMPORTANT_FIRST).toList(),
                budgets.violations(
                        pods.stream().sorted(LEAST_IMPORTANT_FIRST.reversed()).toList()));
    }
}
