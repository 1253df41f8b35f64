package io.numaledger.evaluation.facts;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Selects pods by their labels. One without requirements selects all. */
public record LabelSelector(List<SelectorRequirement> matchExpressions, Map<String, String> matchLabels) {

    public LabelSelector {
        matchExpressions = List.copyOf(matchExpressions);
        matchLabels = Map.copyOf(matchLabels);
    }

    private static final Pattern EXPRESSION =
            Pattern.compile("(!?)([^!=,() ]+)(?: *(==?|!=) *([^!=,() ]*)| +(in|notin) +\\(([^()]*)\\))?");

    /**
     * Reads a selector as kubectl takes it, such as {@code pool=a,zone!=b,gpu,!old,rack in (1,2)}.
     *
     * @throws IllegalArgumentException as a sentence
     */
    public static LabelSelector parse(String text) {
        List<SelectorRequirement> requirements = new ArrayList<>();
        for (String part : text.split(",(?![^(]*\\))", -1)) {
            Matcher matcher = EXPRESSION.matcher(part.strip());
            if (!matcher.matches()) {
                throw new IllegalArgumentException(
                        "not a label selector: '%s'; expected such as pool=a,zone!=b,rack in (1,2)".formatted(text));
            }
            requirements.add(requirement(matcher));
        }
        return new LabelSelector(requirements, Map.of());
    }

    private static SelectorRequirement requirement(Matcher matcher) {
        String key = matcher.group(2);
        if (matcher.group(3) != null) {
            return new SelectorRequirement(
                    key, matcher.group(3).equals("!=") ? "NotIn" : "In", List.of(matcher.group(4)));
        }
        if (matcher.group(5) != null) {
            return new SelectorRequirement(
                    key,
                    matcher.group(5).equals("in") ? "In" : "NotIn",
                    Stream.of(matcher.group(6).split(",")).map(String::strip).toList());
        }
        return new SelectorRequirement(key, matcher.group(1).isEmpty() ? "Exists" : "DoesNotExist", List.of());
    }

    public boolean matches(Map<String, String> labels) {
        return labels.entrySet().containsAll(matchLabels.entrySet())
                && matchExpressions.stream()
                        .allMatch(each -> each.isMetBy(Optional.ofNullable(labels.get(each.key()))));
    }
}
