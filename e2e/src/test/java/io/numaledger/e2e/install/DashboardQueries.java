package io.numaledger.e2e.install;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The queries of the chart's dashboards, with every value of their variables. */
final class DashboardQueries {

    private static final Path DASHBOARDS =
            Path.of(System.getProperty("numaledger.root"), "charts/numaledger/dashboards");
    private static final Pattern METRIC = Pattern.compile("\\b(numaledger|process|jvm)_\\w+");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((\\w+), (\\w+)\\)");

    private DashboardQueries() {}

    static SortedSet<String> all() throws IOException {
        SortedSet<String> queries = new TreeSet<>();
        try (Stream<Path> files = Files.list(DASHBOARDS)) {
            for (Path file : files.toList()) {
                JsonNode dashboard = new ObjectMapper().readTree(file.toFile());
                dashboard.findValuesAsText("expr").forEach(query -> queries.add(withVariables(query)));
                for (String query : dashboard.at("/templating").findValuesAsText("query")) {
                    LABEL_VALUES
                            .matcher(query)
                            .results()
                            .forEach(each -> queries.add("group by (%s) (%s)".formatted(each.group(2), each.group(1))));
                }
            }
        }
        return queries;
    }

    private static String withVariables(String query) {
        return query.replace("$instance", ".+")
                .replace("$node", ".*")
                .replace("$resource", "cpu")
                .replace("$gpus", "cpu")
                .replace("$__rate_interval", "5m");
    }

    /** The metrics that a query names. */
    static SortedSet<String> metrics(String query) {
        return METRIC.matcher(query).results().map(each -> each.group()).collect(Collectors.toCollection(TreeSet::new));
    }

    /** The query without its comparisons with numbers, which leave series out. */
    static String withoutComparisons(String query) {
        return query.replaceAll(" (>|>=|<|==) [\\d.]+", "");
    }
}
