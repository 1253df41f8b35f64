package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodConstraints;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Finds the nodes with the labels of a node selector without comparing each of them: groups may have one selector per pod. */
final class SelectedNodes {

    private final List<GroupNode> nodes;
    private final EvaluationBudget budget;

    /** Label → value → nodes, for the labels that were asked for. */
    private final Map<String, Map<String, List<GroupNode>>> byLabel = new HashMap<>();

    SelectedNodes(List<GroupNode> nodes, EvaluationBudget budget) {
        this.nodes = nodes;
        this.budget = budget;
    }

    /** The nodes that have one of the selector's labels, in their order; all nodes if the selector has no labels. */
    List<GroupNode> by(PodConstraints constraints) {
        return constraints.nodeSelector().entrySet().stream()
                .findFirst()
                .map(wanted -> of(wanted.getKey()).getOrDefault(wanted.getValue(), List.of()))
                .orElse(nodes);
    }

    private Map<String, List<GroupNode>> of(String label) {
        return byLabel.computeIfAbsent(label, any -> {
            Map<String, List<GroupNode>> byValue = new HashMap<>();
            if (budget.take(nodes.size())) {
                nodes.forEach(node -> {
                    String value = node.use().node().constraints().labels().get(label);
                    if (value != null) {
                        byValue.computeIfAbsent(value, none -> new ArrayList<>())
                                .add(node);
                    }
                });
            }
            return byValue;
        });
    }
}
