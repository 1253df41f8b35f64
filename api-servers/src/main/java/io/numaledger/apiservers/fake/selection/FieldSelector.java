package io.numaledger.apiservers.fake.selection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A field selector. All its terms must match; the value of an absent field is the empty string. */
public final class FieldSelector {

    private record Term(String field, String value, boolean equal) {

        boolean matches(ObjectNode object) {
            JsonNode found = object;
            for (String name : field.split("\\.")) {
                found = found.path(name);
            }
            return found.asText("").equals(value) == equal;
        }
    }

    private final List<Term> terms;

    private FieldSelector(List<Term> terms) {
        this.terms = List.copyOf(terms);
    }

    /**
     * Parses terms such as {@code spec.nodeName=n1,status.phase!=Running}; an empty text selects everything.
     *
     * @param known the supported fields of the resource
     * @throws SelectorSyntaxException for an unsupported field, or for a term without an operator
     */
    public static FieldSelector parse(String text, Set<String> known) {
        List<Term> terms = new ArrayList<>();
        for (String part : text.split(",")) {
            if (!part.isBlank()) {
                terms.add(term(part.strip(), known));
            }
        }
        return new FieldSelector(terms);
    }

    public boolean matches(ObjectNode object) {
        return terms.stream().allMatch(term -> term.matches(object));
    }

    public boolean isEverything() {
        return terms.isEmpty();
    }

    private static Term term(String part, Set<String> known) {
        int equals = part.indexOf('=');
        if (equals < 0) {
            throw new SelectorSyntaxException("invalid selector: '%s'; can't understand '%s'".formatted(part, part));
        }
        boolean unequal = equals > 0 && part.charAt(equals - 1) == '!';
        String field = part.substring(0, unequal ? equals - 1 : equals);
        if (!known.contains(field)) {
            throw new SelectorSyntaxException("field label not supported: " + field);
        }
        String value = part.substring(part.startsWith("==", equals) ? equals + 2 : equals + 1);
        return new Term(field, value, !unequal);
    }
}
