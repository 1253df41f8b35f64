package io.numaledger.evaluation.facts;

import java.util.List;
import java.util.Optional;

/** A term of a required node affinity: all of its requirements have to be met. */
public record NodeSelectorTerm(List<SelectorRequirement> matchExpressions, List<SelectorRequirement> matchFields) {

    private static final String NAME = "metadata.name";

    public NodeSelectorTerm {
        matchExpressions = List.copyOf(matchExpressions);
        matchFields = List.copyOf(matchFields);
    }

    /** A term without requirements matches no node. The only field of nodes is their name. */
    boolean matches(String nodeName, NodeConstraints node) {
        return !(matchExpressions.isEmpty() && matchFields.isEmpty())
                && matchExpressions.stream()
                        .allMatch(each ->
                                each.isMetBy(Optional.ofNullable(node.labels().get(each.key()))))
                && matchFields.stream().allMatch(each -> each.isMetBy(Optional.of(nodeName)));
    }

    /** Whether it matches no other node. */
    boolean requires(String nodeName) {
        return matchFields.contains(new SelectorRequirement(NAME, "In", List.of(nodeName)));
    }

    /** How much there is to compare with a node. */
    int size() {
        return 1 + size(matchExpressions) + size(matchFields);
    }

    private static int size(List<SelectorRequirement> requirements) {
        return requirements.stream().mapToInt(each -> 1 + each.values().size()).sum();
    }
}
