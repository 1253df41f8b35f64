package io.numaledger.evaluation.cel;

import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.pod.RequestedAmount;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BinaryOperator;
import java.util.function.Function;

/**
 * Values of an expression: a String, Long, Boolean, RequestedAmount, a List of them, or {@link #OTHER}. An expression that fails has none, as
 * for a missing attribute.
 */
final class CelValues {

    /** A value that is not evaluated. */
    private static final Object OTHER = new Object();

    static final Value NOT_EVALUATED = device -> Optional.of(OTHER);

    /** The value for a device. */
    interface Value extends Function<Device, Optional<Object>> {}

    private CelValues() {}

    static Object not(Object value) {
        return value instanceof Boolean known ? !known : OTHER;
    }

    /** One part with this result decides, also where others fail. A part that is not evaluated could have it. */
    static Value decidedBy(boolean decisive, List<Value> parts) {
        return device -> {
            Optional<Object> result = Optional.of(!decisive);
            for (Value part : parts) {
                Optional<Object> each = part.apply(device);
                if (each.filter(value -> value.equals(decisive)).isPresent()) {
                    return each;
                }
                if (each.filter(value -> !(value instanceof Boolean)).isPresent()) {
                    result = Optional.of(OTHER);
                } else if (each.isEmpty() && result.filter(OTHER::equals).isEmpty()) {
                    result = each;
                }
            }
            return result;
        };
    }

    /** Compares values of one type: a Boolean, or OTHER for other types. */
    static Object compared(Object left, String operator, Object right) {
        return switch (operator) {
            case "in" -> isIn(left, right);
            case "==" -> equal(left, right);
            case "!=" -> not(equal(left, right));
            default ->
                left instanceof Long number && right instanceof Long other
                        ? ordered(operator, number.compareTo(other))
                        : OTHER;
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
        return comparable ? left.equals(right) : OTHER;
    }

    /** Whether a list contains a value. */
    private static Object isIn(Object value, Object list) {
        if (!(list instanceof List<?> values)) {
            return OTHER;
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

    /** A method with one argument, applied to its target; absent: an unknown one. */
    static Optional<BinaryOperator<Object>> method(String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "startsWith" -> ofTwo(String.class, String::startsWith);
                    case "endsWith" -> ofTwo(String.class, String::endsWith);
                    case "contains" -> ofTwo(String.class, String::contains);
                    case "compareTo" -> ofTwo(RequestedAmount.class, (of, with) -> Long.valueOf(of.compareTo(with)));
                    case "isGreaterThan" -> ofTwo(RequestedAmount.class, (of, with) -> of.compareTo(with) > 0);
                    case "isLessThan" -> ofTwo(RequestedAmount.class, (of, with) -> of.compareTo(with) < 0);
                    case "includes" -> (of, with) -> isIn(with, of instanceof List ? of : List.of(of));
                    default -> null;
                });
    }

    private interface Method<T> {
        Object of(T target, T argument);
    }

    private static <T> BinaryOperator<Object> ofTwo(Class<T> type, Method<T> method) {
        return (of, with) ->
                type.isInstance(of) && type.isInstance(with) ? method.of(type.cast(of), type.cast(with)) : OTHER;
    }

    /** The names of attributes of a domain. */
    static List<Object> names(SortedMap<String, DeviceAttribute> attributes, String domain) {
        return attributes.keySet().stream()
                .filter(name -> name.startsWith(domain))
                .<Object>map(name -> name.substring(domain.length()))
                .toList();
    }

    static Object of(DeviceAttribute attribute) {
        List<Object> values = attribute.values().stream()
                .map(value -> switch (attribute.type()) {
                    case INT -> (Object) Long.valueOf(value);
                    case BOOL -> Boolean.valueOf(value);
                    case STRING -> value;
                    case VERSION -> OTHER;
                })
                .toList();
        return attribute.list() ? values : values.isEmpty() ? OTHER : values.get(0);
    }
}
