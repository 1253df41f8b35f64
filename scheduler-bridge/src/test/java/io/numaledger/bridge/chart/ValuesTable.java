package io.numaledger.bridge.chart;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The values of the chart with their comments, read from values.yaml line by line. The file has a form that makes this possible:
 * two spaces for each level, a comment directly above each key, and each default on the line of its key.
 */
record ValuesTable(List<Value> values) {

    private static final Pattern KEY = Pattern.compile("( *)([A-Za-z]+):(?: (.*))?");
    private static final String INTRODUCTION = """
            # Values of the chart

            This page lists the values of the Helm chart, so that you can look up what you can set. `helm` rejects others, and values that
            have no effect without another one, such as `bridge.groups.preempt` without `bridge.groups.enabled`. The table is
            generated from `charts/numaledger/values.yaml`.

            | Value | Default | Meaning |
            |---|---|---|
            """;

    ValuesTable {
        values = List.copyOf(values);
    }

    /**
     * One key.
     *
     * @param path with dots
     * @param standard as YAML in one line; empty: the key has keys of its own
     */
    record Value(String path, String standard, String meaning) {}

    static ValuesTable parse(String yaml) {
        List<Value> values = new ArrayList<>();
        List<String> path = new ArrayList<>();
        List<String> comment = new ArrayList<>();
        for (String line : yaml.lines().toList()) {
            Matcher key = KEY.matcher(line);
            if (line.strip().startsWith("#")) {
                comment.add(line.strip().substring(1).strip());
            } else if (key.matches()) {
                path.subList(key.group(1).length() / 2, path.size()).clear();
                path.add(key.group(2));
                String standard = key.group(3) == null ? "" : key.group(3);
                values.add(new Value(String.join(".", path), standard, String.join(" ", comment)));
                comment.clear();
            } else if (line.isBlank()) {
                comment.clear();
            } else {
                throw new IllegalArgumentException(
                        "a line is neither comment nor key: line=%s; write the default on the line of its key"
                                .formatted(line));
            }
        }
        return new ValuesTable(values);
    }

    String markdown() {
        StringBuilder text = new StringBuilder(INTRODUCTION);
        for (Value value : values) {
            String standard = value.standard().isEmpty() ? "" : "`" + value.standard() + "`";
            text.append("| `%s` | %s | %s |\n"
                    .formatted(value.path(), standard, value.meaning().replace("|", "\\|")));
        }
        return text.toString();
    }
}
