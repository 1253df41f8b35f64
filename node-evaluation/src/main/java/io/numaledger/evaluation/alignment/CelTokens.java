package io.numaledger.evaluation.alignment;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A part of an expression in CEL as words, numbers, strings and signs.
 */
record CelTokens(List<Token> list) {

    CelTokens {
        list = List.copyOf(list);
    }

    /** As long as an expression may be: CELSelectorExpressionMaxLength in resource/v1, types.go. */
    static final int MAX_LENGTH = 10 << 10;

    private static final int MAX_DEPTH = 32;

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

        boolean isSign(String sign) {
            return kind == Kind.SIGN && text.equals(sign);
        }

        boolean isWord(String word) {
            return kind == Kind.WORD && text.equals(word);
        }

        private int depth() {
            if (kind != Kind.SIGN) {
                return 0;
            }
            return "([{".contains(text) ? 1 : ")]}".contains(text) ? -1 : 0;
        }
    }

    /** Absent for a text that is too long or too deep, or that has other forms of numbers or strings, comments or odd brackets. */
    static Optional<CelTokens> of(String text) {
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
        return depth == 0 && !tokens.isEmpty() ? Optional.of(new CelTokens(tokens)) : Optional.empty();
    }

    /** Such as the prefix of a raw string, the rest of a hexadecimal number, or its fraction. */
    private static boolean touches(Token token, Token next) {
        boolean value = next.kind() == Kind.STRING || next.kind() == Kind.NUMBER || next.kind() == Kind.WORD;
        return (token.kind() != Kind.SIGN && value && !token.isWord("in") && !next.isWord("in"))
                || (token.kind() == Kind.NUMBER && next.isSign("."))
                || (token.isSign(".") && next.kind() == Kind.NUMBER);
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

    int size() {
        return list.size();
    }

    Token get(int index) {
        return list.get(index);
    }

    /** The same from one index to another. */
    CelTokens part(int from, int to) {
        return new CelTokens(list.subList(from, to));
    }

    /** The parts between these signs outside of brackets; a part may be empty. */
    List<CelTokens> split(String sign) {
        List<CelTokens> parts = new ArrayList<>();
        int[] from = {0};
        forEachOutside(index -> {
            if (get(index).isSign(sign)) {
                parts.add(part(from[0], index));
                from[0] = index + 1;
            }
        });
        parts.add(part(from[0], size()));
        return parts;
    }

    /** Where this sign or word is outside of brackets: the first, or -1. */
    int indexOf(String text) {
        int[] found = {-1};
        forEachOutside(index -> {
            if (found[0] < 0 && (get(index).isSign(text) || get(index).isWord(text))) {
                found[0] = index;
            }
        });
        return found[0];
    }

    /** Whether one pair of brackets is around all. */
    boolean isInParentheses() {
        int[] outside = {0};
        forEachOutside(index -> outside[0]++);
        return size() > 2
                && get(0).isSign("(")
                && outside[0] == 1
                && get(size() - 1).isSign(")");
    }

    /** Opening brackets are outside of themselves, closing ones are not. */
    private void forEachOutside(IntConsumer use) {
        int depth = 0;
        for (int index = 0; index < size(); index++) {
            int change = get(index).depth();
            if (depth == 0) {
                use.accept(index);
            }
            depth += change;
        }
    }
}
