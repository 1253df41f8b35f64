package io.numaledger.objects;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.LabelSelector;
import io.numaledger.evaluation.facts.SelectorRequirement;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads PodDisruptionBudgets. */
public final class DisruptionBudgetReader {

    private DisruptionBudgetReader() {}

    public static DisruptionBudget of(PodDisruptionBudget budget) {
        return new DisruptionBudget(
                budget.getMetadata().getNamespace(),
                budget.getMetadata().getName(),
                Optional.ofNullable(budget.getSpec())
                        .map(spec -> spec.getSelector())
                        .map(DisruptionBudgetReader::selector),
                Optional.ofNullable(budget.getStatus())
                        .map(status -> status.getDisruptionsAllowed())
                        .orElse(0));
    }

    private static LabelSelector selector(io.fabric8.kubernetes.api.model.LabelSelector selector) {
        return new LabelSelector(
                Optional.ofNullable(selector.getMatchExpressions()).orElse(List.of()).stream()
                        .map(each -> new SelectorRequirement(
                                each.getKey(),
                                each.getOperator(),
                                Optional.ofNullable(each.getValues()).orElse(List.of())))
                        .toList(),
                Optional.ofNullable(selector.getMatchLabels()).orElse(Map.of()));
    }
}
