package io.numaledger.evaluation.alignment;

import io.numaledger.pod.RequestedAmount;

import java.util.List;

/** Compares values of {@link CelOperand} of one type. The result is a Boolean, or {@link CelOperand#OTHER} for other types. */
final class CelComparison {

    /** Longer ones first, because they contain others. */
    static final List<String> OPERATORS = List.of("==", "!=", "<=", ">=", "<", ">", "in");

    private CelComparison() {}

    static Object of(Object left, String operator, Object right) {
        return switch (operator) {
            case "in" -> isIn(left, right);
            case "==" -> equal(left, right);
            case "!=" -> equal(left, right) instanceof Boolean equal ? !equal : CelOperand.OTHER;
            default ->
                left instanceof Long number && right instanceof Long other
                        ? ordered(operator, number.compareTo(other))
                        : CelOperand.OTHER;
        };
    }

    private static boolean ordered(String operator, int order) {
        return switch (operator) {
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    private static Object equal(Object left, Object right) {
        if (left instanceof RequestedAmount amount && right instanceof RequestedAmount other) {
            return amount.compareTo(other) == 0;
        }
        boolean comparable = left.getClass() == right.getClass()
                && (left instanceof String || left instanceof Long || left instanceof Boolean);
        return comparable ? left.equals(right) : CelOperand.OTHER;
    }

    /** Whether a list contains a value. */
    static Object isIn(Object value, Object list) {
        if (!(list instanceof List<?> values)) {
            return CelOperand.OTHER;
        }
        Object result = false;
        for (Object element : values) {
            Object equal = equal(value, element);
            if (equal.equals(true)) {
                return true;
            }
            result = equal.equals(false) ? result : equal;
        }
        return result;
    }
}
