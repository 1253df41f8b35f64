package io.numaledger.apiservers.fake.selection;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Set;

/** A label selector. All its requirements must match. */
public final class LabelSelector {

    /** How a requirement compares the value of its label. */
    enum Operator {
        IN,
        NOT_IN,
        EXISTS,
        NOT_EXISTS,
        GREATER,
        LESS
    }

    record Requirement(String key, Operator operator, Set<String> values) {

        boolean matches(ObjectNode object) {
            var label = object.path("metadata").path("labels").path(key);
            boolean exists = !label.isMissingNode();
            return switch (operator) {
                case IN -> exists && values.contains(label.asText());
                case NOT_IN -> !exists || !values.contains(label.asText());
                case EXISTS -> exists;
                case NOT_EXISTS -> !exists;
                case GREATER ->
                    exists && number(label.asText()) > number(values.iterator().next());
                case LESS ->
                    exists && number(label.asText()) < number(values.iterator().next());
            };
        }

        /** The value of a label; the smallest number if the label is not a number. */
        private static long number(String text) {
            return text.matches("-?\\d{1,18}") ? Long.parseLong(text) : Long.MIN_VALUE;
        }
    }

    private final List<Requirement> requirements;

    LabelSelector(List<Requirement> requirements) {
        this.requirements = List.copyOf(requirements);
    }

    /**
     * Parses the whole syntax: {@code a=b}, {@code a==b}, {@code a!=b}, {@code a in (b,c)}, {@code a notin (b)}, {@code a},
     * {@code !a}, {@code a>1}, {@code a<1}, joined by commas; an empty text selects everything.
     *
     * @throws SelectorSyntaxException with the message of kube-apiserver
     */
    public static LabelSelector parse(String text) {
        return new LabelSelector(new LabelSelectorParser(text).requirements());
    }

    public boolean matches(ObjectNode object) {
        return requirements.stream().allMatch(requirement -> requirement.matches(object));
    }

    public boolean isEverything() {
        return requirements.isEmpty();
    }
}
