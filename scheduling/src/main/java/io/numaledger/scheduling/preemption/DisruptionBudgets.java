package io.numaledger.scheduling.preemption;

import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The disruption budgets of the cluster. Counts violations as kube-scheduler does (filterPodsWithPDBViolation, default_preemption.go). */
public record DisruptionBudgets(List<DisruptionBudget> all) {

    public static final DisruptionBudgets NONE = new DisruptionBudgets(List.of());

    public DisruptionBudgets {
        all = List.copyOf(all);
    }

    /** How many of these pods could not be evicted one after the other without a violation. */
    public int violations(Collection<PodFacts> victims) {
        Map<DisruptionBudget, Integer> used = new HashMap<>();
        int violating = 0;
        for (PodFacts victim : victims) {
            boolean violates = false;
            for (DisruptionBudget budget : all) {
                if (budget.selects(victim)) {
                    violates |= used.merge(budget, 1, Integer::sum) > budget.allowed();
                }
            }
            violating += violates ? 1 : 0;
        }
        return violating;
    }
}
