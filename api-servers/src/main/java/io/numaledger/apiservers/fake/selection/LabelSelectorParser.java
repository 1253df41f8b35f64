package io.numaledger.apiservers.fake.selection;

import io.numaledger.apiservers.fake.selection.LabelSelector.Operator;
import io.numaledger.apiservers.fake.selection.LabelSelector.Requirement;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a label selector token by token, as labels/selector.go in apimachinery does. */
final class LabelSelectorParser {

    private static final Pattern TOKEN = Pattern.compile("\\s*(==|!=|=|!|,|\\(|\\)|>|<|[^\\s=!,()><]+)\\s*");
    private static final String NAME_RULE = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
    private static final Pattern KEY = Pattern.compile("([a-z0-9][-a-z0-9.]*/)?" + NAME_RULE);

    private final List<String> tokens = new ArrayList<>();
    private int next;

    LabelSelectorParser(String text) {
        Matcher matcher = TOKEN.matcher(text);
        while (matcher.find()) {
            tokens.add(matcher.group(1));
        }
    }

    List<Requirement> requirements() {
        List<Requirement> found = new ArrayList<>();
        while (next < tokens.size()) {
            found.add(requirement());
            if (next < tokens.size()) {
                expect(",");
                if (next == tokens.size()) {
                    throw unexpected("", "identifier after ','");
                }
            }
        }
        return found;
    }

    private Requirement requirement() {
        if (peek().equals("!")) {
            next++;
            return new Requirement(key(), Operator.NOT_EXISTS, Set.of());
        }
        String key = key();
        return switch (peek()) {
            case "", "," -> new Requirement(key, Operator.EXISTS, Set.of());
            case "=", "==" -> single(key, Operator.IN);
            case "!=" -> single(key, Operator.NOT_IN);
            case ">" -> single(key, Operator.GREATER);
            case "<" -> single(key, Operator.LESS);
            case "in" -> several(key, Operator.IN);
            case "notin" -> several(key, Operator.NOT_IN);
            default -> throw unexpected(peek(), "in, notin, =, ==, !=, gt, lt");
        };
    }

    private Requirement single(String key, Operator operator) {
        next++;
        boolean empty = peek().isEmpty() || peek().equals(",");
        return new Requirement(key, operator, Set.of(empty ? "" : tokens.get(next++)));
    }

    private Requirement several(String key, Operator operator) {
        next++;
        expect("(");
        SortedSet<String> values = new TreeSet<>();
        while (!peek().equals(")")) {
            values.add(peek().equals(",") ? "" : take());
            if (!peek().equals(")")) {
                expect(",");
            }
        }
        expect(")");
        return new Requirement(key, operator, values);
    }

    private String key() {
        String key = take();
        if (!KEY.matcher(key).matches()) {
            throw new SelectorSyntaxException(
                    ("unable to parse requirement: <nil>: Invalid value: \"%s\": name part must consist"
                                    + " of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric"
                                    + " character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '%s')")
                            .formatted(key, NAME_RULE));
        }
        return key;
    }

    private String take() {
        if (next == tokens.size()) {
            throw unexpected("", "identifier");
        }
        return tokens.get(next++);
    }

    private void expect(String token) {
        if (!peek().equals(token)) {
            throw unexpected(peek(), "'" + token + "'");
        }
        next++;
    }

    private String peek() {
        return next < tokens.size() ? tokens.get(next) : "";
    }

    private static SelectorSyntaxException unexpected(String found, String expected) {
        return new SelectorSyntaxException(
                "unable to parse requirement: found '%s' expected: %s".formatted(found, expected));
    }
}
