package io.numaledger.evaluation.cel;

import io.numaledger.evaluation.cel.CelTokens.Kind;
import io.numaledger.evaluation.cel.CelTokens.Token;
import io.numaledger.evaluation.cel.CelValues.Value;
import io.numaledger.pod.RequestedAmount;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;

/**
 * Reads an expression in CEL by recursive descent. The variable {@code device} is that of dynamic-resource-allocation, cel/compile.go.
 *
 * <pre>
 * or      = and { "||" and }
 * and     = term { "&amp;&amp;" term }
 * term    = "!" term | "(" or ")" | operand [ operator operand ]    what is none of these is not evaluated
 * operand = primary { "." method "(" operand ")" }
 * primary = literal | "[" operand, … "]" | "quantity" "(" string ")" | "has" "(" field ")" | field
 * field   = "device" "." ( "driver" | "allowMultipleAllocations" | "capacity" key name | "attributes" key [ name ] )
 * </pre>
 */
final class CelParser {

    private static final Set<String> OPERATORS = Set.of("==", "!=", "<=", ">=", "<", ">", "in");

    private final List<Token> tokens;
    private int at;

    /** What is read here is not understood. */
    private static final class UnknownForm extends Exception {
        private static final long serialVersionUID = 1;
    }

    private CelParser(List<Token> tokens) {
        this.tokens = tokens;
    }

    /** @param tokens with brackets in pairs */
    static Value parse(List<Token> tokens) {
        return new CelParser(tokens).or();
    }

    private Value or() {
        int begin = at;
        if (skipTo("?")) { // conditions bind less than all other signs
            return CelValues.NOT_EVALUATED;
        }
        at = begin;
        return joined("||", true, () -> joined("&&", false, this::term));
    }

    private Value joined(String sign, boolean decisive, Supplier<Value> part) {
        List<Value> parts = new ArrayList<>(List.of(part.get()));
        while (accepts(sign)) {
            parts.add(part.get());
        }
        return parts.size() == 1 ? parts.get(0) : CelValues.decidedBy(decisive, parts);
    }

    private Value term() {
        int begin = at;
        try {
            Value value = negated(0);
            if (isNext("&&") || isNext("||") || isEnd()) {
                return value;
            }
        } catch (UnknownForm unknown) {
            // nothing of this term is evaluated
        }
        at = begin;
        skipTo("&&", "||");
        return CelValues.NOT_EVALUATED;
    }

    /** The end of the expression, or of what is in brackets. */
    private boolean isEnd() {
        return at == tokens.size() || tokens.get(at).depth() < 0;
    }

    /** Goes to the first of these signs outside of further brackets; returns whether there is one before the end. */
    private boolean skipTo(String... signs) {
        for (int depth = 0; depth > 0 || !isEnd(); at++) {
            if (depth == 0 && List.of(signs).contains(tokens.get(at).text()) && isSign()) {
                return true;
            }
            depth += tokens.get(at).depth();
        }
        return false;
    }

    private boolean isSign() {
        return tokens.get(at).kind() == Kind.SIGN;
    }

    private Value negated(int depth) throws UnknownForm {
        if (depth < CelTokens.MAX_DEPTH && accepts("!")) {
            Value value = negated(depth + 1);
            return device -> value.apply(device).map(CelValues::not);
        }
        if (accepts("(")) {
            Value value = or();
            expect(")");
            return value;
        }
        Value left = operand();
        if (depth > 0 || at == tokens.size() || !OPERATORS.stream().anyMatch(this::isNext)) {
            return left;
        }
        String operator = tokens.get(at++).text();
        Value right = operand();
        return both(left, right, (one, other) -> CelValues.compared(one, operator, other));
    }

    private static Value both(Value left, Value right, BinaryOperator<Object> of) {
        return device -> left.apply(device).flatMap(one -> right.apply(device).map(other -> of.apply(one, other)));
    }

    private Value operand() throws UnknownForm {
        Value value = primary();
        while (accepts(".")) {
            BinaryOperator<Object> method = CelValues.method(next(Kind.WORD)).orElseThrow(UnknownForm::new);
            expect("(");
            value = both(value, operand(), method);
            expect(")");
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
        expect("device");
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
            List<Object> list = values.stream()
                    .flatMap(value -> value.apply(device).stream())
                    .toList();
            return list.size() == values.size() ? Optional.of(list) : Optional.empty();
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
        if (!isNext(".") && !isNext("[")) {
            return device -> Optional.of(CelValues.names(device.attributes(), domain));
        }
        String attribute = domain + name();
        return device -> Optional.ofNullable(device.attributes().get(attribute)).map(CelValues::of);
    }

    private static Value constant(Object value) {
        return device -> Optional.of(value);
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
        if (token().kind() != kind) {
            throw new UnknownForm();
        }
        return tokens.get(at++).text();
    }

    private boolean isNext(String text) {
        return at < tokens.size() && tokens.get(at).is(text);
    }

    private boolean accepts(String text) {
        boolean accepted = isNext(text);
        at += accepted ? 1 : 0;
        return accepted;
    }

    private void expect(String text) throws UnknownForm {
        if (!accepts(text)) {
            throw new UnknownForm();
        }
    }
}
