package io.numaledger.evaluation.cel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Divides an expression in CEL into words, numbers, strings and signs. */
final class CelTokens {

    /** As long as an expression may be: CELSelectorExpressionMaxLength in resource/v1, types.go. */
    private static final int MAX_LENGTH = 10 << 10;

    /** Brackets in brackets. */
    static final int MAX_DEPTH = 32;

    private static final Pattern FORM = Pattern.compile(
            "\\s*(?:([A-Za-z_]\\w*)|(\\d{1,18})|\"([^\"\\\\\\n]*)\"|'([^'\\\\\\n]*)'|(&&|\\|\\||[=!<>]=|[-!<>.,?:+*/%(){}\\[\\]]))\\s*");

    enum Kind {
        WORD,
        NUMBER,
        STRING,
        SIGN
    }

    /** @param text of a string without its quotes */
    record Token(Kind kind, String text) {

        /** Whether it is this sign or word. */
        boolean is(String other) {
            return kind != Kind.STRING && text.equals(other);
        }

        /** What it adds to the number of open brackets. */
        int depth() {
            if (kind != Kind.SIGN) {
                return 0;
            }
            return "([{".contains(text) ? 1 : ")]}".contains(text) ? -1 : 0;
        }
    }

    private CelTokens() {}

    /**
     * The tokens of a text; absent for a text that is too long or too deep, or that has other forms of numbers or strings, comments or odd brackets.
     */
    static Optional<List<Token>> of(String text) {
        if (text.length() > MAX_LENGTH || text.contains("//") || text.contains("'''") || text.contains("\"\"\"")) {
            return Optional.empty();
        }
        List<Token> tokens = new ArrayList<>();
        Matcher next = FORM.matcher(text);
        int depth = 0;
        while (next.regionStart() < text.length()) {
            if (!next.lookingAt()) {
                return Optional.empty();
            }
            Token token = token(next);
            depth += token.depth();
            if (depth < 0
                    || depth > MAX_DEPTH
                    || (!tokens.isEmpty() && touches(tokens.get(tokens.size() - 1), token))) {
                return Optional.empty();
            }
            tokens.add(token);
            next.region(next.end(), text.length());
        }
        return depth == 0 && !tokens.isEmpty() ? Optional.of(List.copyOf(tokens)) : Optional.empty();
    }

    /** Such as the prefix of a raw string, the rest of a hexadecimal number, or its fraction. */
    private static boolean touches(Token token, Token next) {
        return (token.kind() != Kind.SIGN && next.kind() != Kind.SIGN && !token.is("in") && !next.is("in"))
                || (token.kind() == Kind.NUMBER && next.is("."))
                || (token.is(".") && next.kind() == Kind.NUMBER);
    }

    private static Token token(Matcher next) {
        if (next.group(1) != null) {
            return new Token(Kind.WORD, next.group(1));
        }
        if (next.group(2) != null) {
            return new Token(Kind.NUMBER, next.group(2));
        }
        if (next.group(5) != null) {
            return new Token(Kind.SIGN, next.group(5));
        }
        return new Token(Kind.STRING, next.group(3) == null ? next.group(4) : next.group(3));
    }
}
