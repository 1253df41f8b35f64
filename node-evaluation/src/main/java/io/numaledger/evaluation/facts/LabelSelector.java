package io.numaledger.evaluation.facts;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Selects pods by their labels. One without requirements selects all. */
public record LabelSelector(List<SelectorRequirement> matchExpressions, Map<String, String> matchLabels) {

    public LabelSelector {
        matchExpressions = List.copyOf(matchExpressions);
        matchLabels = Map.copyOf(matchLabels);
    }

    boolean matches(Map<String, String> labels) {
        return labels.entrySet().containsAll(matchLabels.entrySet())
                && matchExpressions.stream()
                        .allMatch(each -> each.isMetBy(Optional.ofNullable(labels.get(each.key()))));
    }
}
