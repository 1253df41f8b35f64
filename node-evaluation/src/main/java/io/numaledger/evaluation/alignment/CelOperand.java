package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.alignment.CelTokens.Kind;
import io.numaledger.evaluation.alignment.CelTokens.Token;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceAttribute;
import io.numaledger.pod.RequestedAmount;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * Reads an operand of an expression in CEL: a literal, a value of the variable {@code device} (dynamic-resource-allocation, cel/compile.go),
 * and calls of some methods. The value of an operand is a String, Long, Boolean, RequestedAmount, a List of them, {@link #OTHER}, or absent: the
 * evaluation fails, as for a missing attribute.
 */
final class CelOperand {

    /** A value that is not evaluated. */
    static final Object OTHER = new Object();

    /** The value for a device. */
    interface Value extends Function<Device, Optional<Object>> {}

    /** What is read here is not understood. */
    private static final class UnknownForm extends Exception {
        private static final long serialVersionUID = 1;
    }

    private final CelTokens tokens;
    private int at;

    private CelOperand(CelTokens tokens) {
        this.tokens = tokens;
    }

    /** Absent for what is not understood. */
    static Optional<Value> of(CelTokens tokens) {
        CelOperand reader = new CelOperand(tokens);
        try {
            Value value = reader.operand();
            return reader.at == tokens.size() ? Optional.of(value) : Optional.empty();
        } catch (UnknownForm unknown) {
            return Optional.empty();
        }
    }

    private Value operand() throws UnknownForm {
        Value value = primary();
        while (accepts(".")) {
            String method = next(Kind.WORD);
            expect("(");
            BiFunction<Object, Object, Object> call = method(method);
            Value target = value;
            Value argument = operand();
            expect(")");
            value = device ->
                    target.apply(device).flatMap(of -> argument.apply(device).map(with -> call.apply(of, with)));
        }
        return value;
    }

    private Value primary() throws UnknownForm {
        if (accepts("[")) {
            return list();
        }
        if (accepts("-")) {
            return constant(-Long.parseLong(next(Kind.NUMBER)));
        }
        Token token = token();
        at++;
        return switch (token.kind()) {
            case STRING -> constant(token.text());
            case NUMBER -> constant(Long.parseLong(token.text()));
            case SIGN -> throw new UnknownForm();
            case WORD -> word(token.text());
        };
    }

    private Value word(String word) throws UnknownForm {
        return switch (word) {
            case "true", "false" -> constant(Boolean.valueOf(word));
            case "quantity" -> quantity();
            case "has" -> has();
            case "device" -> field();
            default -> throw new UnknownForm();
        };
    }

    private Value quantity() throws UnknownForm {
        expect("(");
        String text = next(Kind.STRING);
        expect(")");
        try {
            return constant(RequestedAmount.parse(text));
        } catch (IllegalArgumentException noQuantity) {
            throw new UnknownForm();
        }
    }

    private Value has() throws UnknownForm {
        expect("(");
        expectWord("device");
        Value field = field();
        expect(")");
        return device -> Optional.of(field.apply(device).isPresent());
    }

    private Value list() throws UnknownForm {
        List<Value> values = new ArrayList<>();
        while (!accepts("]")) {
            values.add(operand());
            if (!accepts(",")) {
                expect("]");
                break;
            }
        }
        return device -> {
            List<Object> list = new ArrayList<>();
            for (Value value : values) {
                Optional<Object> element = value.apply(device);
                if (element.isEmpty()) {
                    return Optional.empty();
                }
                list.add(element.get());
            }
            return Optional.of(list);
        };
    }

    /** What follows the word {@code device}. */
    private Value field() throws UnknownForm {
        expect(".");
        return switch (next(Kind.WORD)) {
            case "driver" -> device -> Optional.of(device.id().driver());
            case "allowMultipleAllocations" -> device -> Optional.of(device.shared());
            case "attributes" -> attribute();
            case "capacity" -> capacity();
            default -> throw new UnknownForm();
        };
    }

    private Value capacity() throws UnknownForm {
        String name = key() + "/" + name();
        return device -> Optional.ofNullable(device.capacity().get(name));
    }

    /** One attribute, or all names of a domain. */
    private Value attribute() throws UnknownForm {
        String domain = key() + "/";
        if (at == tokens.size()) {
            return device -> Optional.of(names(device.attributes(), domain));
        }
        String attribute = domain + name();
        return device -> Optional.ofNullable(device.attributes().get(attribute)).map(CelOperand::value);
    }

    private static List<Object> names(SortedMap<String, DeviceAttribute> attributes, String domain) {
        return attributes.keySet().stream()
                .filter(name -> name.startsWith(domain))
                .<Object>map(name -> name.substring(domain.length()))
                .toList();
    }

    private static Object value(DeviceAttribute attribute) {
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

    private static Value constant(Object value) {
        return device -> Optional.of(value);
    }

    private static BiFunction<Object, Object, Object> method(String name) throws UnknownForm {
        return switch (name) {
            case "startsWith" -> ofStrings(String::startsWith);
            case "endsWith" -> ofStrings(String::endsWith);
            case "contains" -> ofStrings(String::contains);
            case "compareTo" -> ofQuantities((of, with) -> Long.valueOf(of.compareTo(with)));
            case "isGreaterThan" -> ofQuantities((of, with) -> of.compareTo(with) > 0);
            case "isLessThan" -> ofQuantities((of, with) -> of.compareTo(with) < 0);
            case "includes" -> (of, with) -> CelComparison.isIn(with, of instanceof List ? of : List.of(of));
            default -> throw new UnknownForm();
        };
    }

    private static BiFunction<Object, Object, Object> ofStrings(BiFunction<String, String, Object> method) {
        return (of, with) ->
                of instanceof String text && with instanceof String other ? method.apply(text, other) : OTHER;
    }

    private static BiFunction<Object, Object, Object> ofQuantities(
            BiFunction<RequestedAmount, RequestedAmount, Object> method) {
        return (of, with) -> of instanceof RequestedAmount amount && with instanceof RequestedAmount other
                ? method.apply(amount, other)
                : OTHER;
    }

    /** {@code ["key"]} */
    private String key() throws UnknownForm {
        expect("[");
        String key = next(Kind.STRING);
        expect("]");
        return key;
    }

    /** {@code .name} or {@code ["name"]} */
    private String name() throws UnknownForm {
        return accepts(".") ? next(Kind.WORD) : key();
    }

    private Token token() throws UnknownForm {
        if (at == tokens.size()) {
            throw new UnknownForm();
        }
        return tokens.get(at);
    }

    private String next(Kind kind) throws UnknownForm {
        Token token = token();
        if (token.kind() != kind) {
            throw new UnknownForm();
        }
        at++;
        return token.text();
    }

    private boolean accepts(String sign) {
        boolean accepted = at < tokens.size() && tokens.get(at).isSign(sign);
        at += accepted ? 1 : 0;
        return accepted;
    }

    private void expect(String sign) throws UnknownForm {
        if (!accepts(sign)) {
            throw new UnknownForm();
        }
    }

    private void expectWord(String word) throws UnknownForm {
        if (!next(Kind.WORD).equals(word)) {
            throw new UnknownForm();
        }
    }
}
