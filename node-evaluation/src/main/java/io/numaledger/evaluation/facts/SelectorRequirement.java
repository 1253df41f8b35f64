package io.numaledger.evaluation.facts;

import java.util.List;
import java.util.Optional;

/** One expression of a selector, about a label or a field (component-helpers, scheduling/corev1/nodeaffinity; apimachinery, pkg/labels). */
public record SelectorRequirement(String key, String operator, List<String> values) {

    public SelectorRequirement {
        values = List.copyOf(values);
    }

    /** @param value of the label or field; absent: there is none */
    boolean isMetBy(Optional<String> value) {
        return switch (operator) {
            case "In" -> value.filter(values::contains).isPresent();
            case "NotIn" -> value.filter(values::contains).isEmpty();
            case "Exists" -> value.isPresent();
            case "DoesNotExist" -> value.isEmpty();
            case "Gt" -> compared(value) > 0;
            case "Lt" -> compared(value) < 0;
            default -> false;
        };
    }

    /** 0 also where one of them is no whole number. */
    private int compared(Optional<String> value) {
        try {
            return value.isPresent() && values.size() == 1
                    ? Long.compare(Long.parseLong(value.get()), Long.parseLong(values.get(0)))
                    : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
