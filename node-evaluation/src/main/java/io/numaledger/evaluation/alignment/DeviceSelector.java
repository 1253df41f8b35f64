package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.claim.Device;

import java.util.List;
import java.util.Optional;

/**
 * A selector of devices, an expression in CEL, as far as it is simple: values and names of attributes, the driver and capacities, compared
 * with literals, joined by and, or, not. What is not understood could be so.
 */
public final class DeviceSelector {

    private static final Term NOT_EVALUATED = device -> Truth.UNKNOWN;

    private static final int MAX_DEPTH = 32;

    /** Selects any device, perhaps. */
    static final DeviceSelector NOT_READ = new DeviceSelector(NOT_EVALUATED, 0);

    private final Term term;
    private final int size;

    /** The result of a part of the expression: one that fails is neither true nor false. */
    private enum Truth {
        TRUE,
        FALSE,
        FAILED,
        UNKNOWN;

        private static Truth of(Object value) {
            return value instanceof Boolean known ? (known ? TRUE : FALSE) : UNKNOWN;
        }

        private Truth not() {
            return this == TRUE ? FALSE : this == FALSE ? TRUE : this;
        }
    }

    private interface Term {
        Truth of(Device device);
    }

    private DeviceSelector(Term term, int size) {
        this.term = term;
        this.size = size;
    }

    public static DeviceSelector of(String expression) {
        return CelTokens.of(expression)
                .map(tokens -> new DeviceSelector(term(tokens, 0), tokens.size()))
                .orElse(NOT_READ);
    }

    /** The number of words and signs that are evaluated. */
    int size() {
        return size;
    }

    /** Whether it selects the device. */
    public Match matches(Device device) {
        return switch (term.of(device)) {
            case TRUE -> Match.YES;
            case FALSE, FAILED -> Match.NO;
            case UNKNOWN -> Match.COULD;
        };
    }

    private static Term term(CelTokens tokens, int depth) {
        if (depth > MAX_DEPTH || tokens.size() == 0 || tokens.indexOf("?") >= 0) {
            return NOT_EVALUATED;
        }
        List<CelTokens> alternatives = tokens.split("||");
        if (alternatives.size() > 1) {
            return decidedBy(Truth.TRUE, terms(alternatives, depth));
        }
        List<CelTokens> parts = tokens.split("&&");
        if (parts.size() > 1) {
            return decidedBy(Truth.FALSE, terms(parts, depth));
        }
        if (tokens.isInParentheses()) {
            return term(tokens.part(1, tokens.size() - 1), depth + 1);
        }
        Optional<String> operator = CelComparison.OPERATORS.stream()
                .filter(each -> tokens.indexOf(each) >= 0)
                .findFirst();
        if (operator.isPresent()) {
            return comparison(tokens, operator.get());
        }
        if (tokens.get(0).isSign("!")) {
            Term negated = term(tokens.part(1, tokens.size()), depth + 1);
            return device -> negated.of(device).not();
        }
        return CelOperand.of(tokens).map(DeviceSelector::value).orElse(NOT_EVALUATED);
    }

    private static List<Term> terms(List<CelTokens> parts, int depth) {
        return parts.stream().map(part -> term(part, depth + 1)).toList();
    }

    /** One part with this result decides, also where others fail. */
    private static Term decidedBy(Truth decisive, List<Term> terms) {
        return device -> {
            Truth result = decisive.not();
            for (Term term : terms) {
                Truth each = term.of(device);
                if (each == decisive) {
                    return decisive;
                }
                result = each.compareTo(result) > 0 && each != decisive.not() ? each : result;
            }
            return result;
        };
    }

    private static Term comparison(CelTokens tokens, String operator) {
        int at = tokens.indexOf(operator);
        Optional<CelOperand.Value> left = CelOperand.of(tokens.part(0, at));
        Optional<CelOperand.Value> right = CelOperand.of(tokens.part(at + 1, tokens.size()));
        if (left.isEmpty() || right.isEmpty()) {
            return NOT_EVALUATED;
        }
        return value(device -> left.get()
                .apply(device)
                .flatMap(one -> right.get().apply(device).map(other -> CelComparison.of(one, operator, other))));
    }

    private static Term value(CelOperand.Value value) {
        return device -> value.apply(device).map(Truth::of).orElse(Truth.FAILED);
    }
}
