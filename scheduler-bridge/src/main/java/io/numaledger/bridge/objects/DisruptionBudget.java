package io.numaledger.bridge.objects;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How many pods of a set may be evicted (PodDisruptionBudget, policy/v1).
 *
 * @param selector absent: it selects no pod
 * @param allowed evictions
 */
public record DisruptionBudget(String namespace, String name, Optional<LabelSelector> selector, int allowed) {

    public static DisruptionBudget of(PodDisruptionBudget budget) {
        return new DisruptionBudget(
                budget.getMetadata().getNamespace(),
                budget.getMetadata().getName(),
                Optional.ofNullable(budget.getSpec()).map(spec -> spec.getSelector()),
                Optional.ofNullable(budget.getStatus())
                        .map(status -> status.getDisruptionsAllowed())
                        .orElse(0));
    }

    /** Whether the pod is one of the set. An empty selector selects all pods of the namespace. */
    public boolean selects(PodFacts pod) {
        return namespace.equals(pod.namespace())
                && selector.filter(each -> matches(each, pod.labels())).isPresent();
    }

    static boolean matches(LabelSelector selector, Map<String, String> labels) {
        Map<String, String> exact =
                Optional.ofNullable(selector.getMatchLabels()).orElse(Map.of());
        List<LabelSelectorRequirement> expressions =
                Optional.ofNullable(selector.getMatchExpressions()).orElse(List.of());
        return labels.entrySet().containsAll(exact.entrySet())
                && expressions.stream().allMatch(expression -> matches(expression, labels));
    }

    private static boolean matches(LabelSelectorRequirement expression, Map<String, String> labels) {
        Optional<String> value = Optional.ofNullable(labels.get(expression.getKey()));
        List<String> values = Optional.ofNullable(expression.getValues()).orElse(List.of());
        return switch (expression.getOperator()) {
            case "In" -> value.filter(values::contains).isPresent();
            case "NotIn" -> value.filter(values::contains).isEmpty();
            case "Exists" -> value.isPresent();
            case "DoesNotExist" -> value.isEmpty();
            default -> false;
        };
    }
}
