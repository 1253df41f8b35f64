package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The alerts and dashboards of the chart: they use metrics that exist, and each alert is explained. */
class MonitoringTest {

    private static final Path ALERTS = Helm.CHART.resolve("files/alerts.yaml");
    private static final Path DASHBOARDS = Helm.CHART.resolve("dashboards");
    private static final int GRAFANA_COLUMNS = 24;
    private static final Path TESTS = Helm.ROOT.resolve("scheduler-bridge/src/test/resources/chart/alerts-test.yaml");

    @TempDir
    private Path directory;

    @Test
    void everyAlertUsesMetricsOfTheReference() throws IOException {
        List<String> queries = new ArrayList<>();
        alerts().forEach(alert -> queries.add(alert.get("expr").asText()));
        assertThat(queries).isNotEmpty();
        assertThat(unknownMetrics(queries)).isEmpty();
    }

    @Test
    void everyAlertSaysWhatToDo() throws IOException {
        List<String> lines = Files.readAllLines(Helm.ROOT.resolve("docs/operate.md"));
        for (JsonNode alert : alerts()) {
            String name = alert.get("alert").asText();
            assertThat(alert.at("/annotations/runbook_url").asText())
                    .isEqualTo("docs/operate.md#" + name.toLowerCase(Locale.ROOT));
            int start = lines.indexOf("### " + name);
            assertThat(start).as("section of %s in docs/operate.md", name).isNotNegative();
            List<String> section = lines.stream()
                    .skip(start + 1L)
                    .takeWhile(line -> !line.startsWith("#"))
                    .toList();
            assertThat(section).anyMatch(line -> line.startsWith("**Meaning.** "));
            assertThat(section).anyMatch(line -> line.startsWith("**Impact.** "));
            assertThat(section).anyMatch(line -> line.startsWith("**What to do.** "));
        }
    }

    /** An address of a pod does not tell an operator which machine it is. */
    @Test
    void everyAlertAboutAnAgentNamesItsNode() throws IOException, InterruptedException {
        for (JsonNode alert : alerts()) {
            String description = alert.at("/annotations/description").asText();
            if (description.contains("$labels.instance")
                    && alert.get("expr").asText().contains("numaledger_agent_")) {
                assertThat(description).contains("node {{ $labels.node }}");
            }
        }
        assertThat(Helm.find()
                        .object("PodMonitor", "numaledger-agent", "--set=monitoring.podMonitor.enabled=true")
                        .at("/spec/podMetricsEndpoints/0/relabelings/0")
                        .toString())
                .isEqualTo("{\"sourceLabels\":[\"__meta_kubernetes_pod_node_name\"],\"targetLabel\":\"node\"}");
    }

    @Test
    void everyAlertIsTested() throws IOException {
        String tests = Files.readString(TESTS);
        assertThat(alerts())
                .allSatisfy(alert -> assertThat(tests)
                        .contains("alertname=\"" + alert.get("alert").asText() + "\""));
    }

    @Test
    void alertsFireWhenTheyShould() throws IOException, InterruptedException {
        Optional<Path> promtool = Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "promtool"))
                .filter(Files::isExecutable)
                .findFirst();
        assumeTrue(promtool.isPresent(), "skipped: promtool is not installed; Debian has it in the package prometheus");
        Files.copy(ALERTS, directory.resolve("alerts.yaml"));
        Path tests = Files.copy(TESTS, directory.resolve("alerts-test.yaml"));
        Process process = new ProcessBuilder(promtool.orElseThrow().toString(), "test", "rules", tests.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
    }

    static List<Path> dashboards() throws IOException {
        try (Stream<Path> files = Files.list(DASHBOARDS)) {
            return files.sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void everyDashboardUsesMetricsOfTheReference(Path file) throws IOException {
        JsonNode dashboard = Helm.YAML.readTree(file.toFile());
        List<String> queries = new ArrayList<>(dashboard.findValuesAsText("expr"));
        queries.addAll(dashboard.at("/templating").findValuesAsText("query"));
        assertThat(queries).hasSizeGreaterThan(5);
        assertThat(unknownMetrics(queries)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void everyPanelSaysWhatItShows(Path file) throws IOException {
        for (JsonNode panel : Helm.YAML.readTree(file.toFile()).get("panels")) {
            assertThat(List.of(
                            panel.at("/title").asText(),
                            panel.at("/description").asText(),
                            panel.at("/fieldConfig/defaults/unit").asText()))
                    .as("title, description and unit of %s", panel.get("id"))
                    .doesNotContain("");
            // Without thresholds of their own, Grafana shows numbers from 80 on in red.
            assertThat(panel.at("/fieldConfig/defaults").has("thresholds"))
                    .as("thresholds of %s", panel.get("title"))
                    .isEqualTo(panel.get("type").asText().equals("stat"));
            panel.get("targets")
                    .forEach(target -> assertThat(target.get("legendFormat").asText())
                            .as("legend of %s", panel.get("title"))
                            .satisfies(legend -> assertThat(legend.isEmpty())
                                    .isEqualTo(panel.get("type").asText().equals("table"))));
        }
    }

    @ParameterizedTest
    @MethodSource("dashboards")
    void panelsHaveTheirOwnIdsAndPlaces(Path file) throws IOException {
        Set<Integer> ids = new HashSet<>();
        Set<String> cells = new HashSet<>();
        for (JsonNode panel : Helm.YAML.readTree(file.toFile()).get("panels")) {
            assertThat(ids.add(panel.get("id").asInt()))
                    .as("id of %s", panel.get("title"))
                    .isTrue();
            JsonNode at = panel.get("gridPos");
            assertThat(at.get("x").asInt() + at.get("w").asInt()).isLessThanOrEqualTo(GRAFANA_COLUMNS);
            for (int x = 0; x < at.get("w").asInt(); x++) {
                for (int y = 0; y < at.get("h").asInt(); y++) {
                    assertThat(cells.add((at.get("x").asInt() + x) + " "
                                    + (at.get("y").asInt() + y)))
                            .as("%s overlaps no other panel", panel.get("title"))
                            .isTrue();
                }
            }
        }
    }

    /** With {@code $__rate_interval} and a minimum step, a rate has two scrapes and leaves nothing out, however long the range is. */
    @ParameterizedTest
    @MethodSource("dashboards")
    void queriesFollowTheDataSourceAndTheTimeRange(Path file) throws IOException {
        JsonNode dashboard = Helm.YAML.readTree(file.toFile());
        assertThat(dashboard.findValues("datasource"))
                .hasSizeGreaterThan(10)
                .containsOnly(Helm.YAML.readTree("{type: prometheus, uid: \"${datasource}\"}"));
        for (JsonNode panel : dashboard.get("panels")) {
            for (JsonNode target : panel.get("targets")) {
                String query = target.get("expr").asText();
                assertThat(query).doesNotContainPattern("rate\\([^\\[]*\\[\\d");
                assertThat(target.has("interval")).as(query).isEqualTo(query.contains("$__rate_interval"));
            }
        }
    }

    @Test
    void alertsOfTheBridgeExistOnlyWithIt() throws IOException, InterruptedException {
        Helm helm = Helm.find();
        String enabled = "--set=monitoring.rules.enabled=true,monitoring.podMonitor.enabled=true,"
                + "monitoring.rules.runbookBase=https://docs.example.com/,mode=";
        assertThat(helm.object("PrometheusRule", "numaledger", enabled + "kai").toString())
                .contains("NumaledgerAgentStale", "https://docs.example.com/docs/operate.md#numaledgeragentstale")
                .doesNotContain("NumaledgerBridgeAbsent");
        assertThat(helm.object("PrometheusRule", "numaledger", enabled + "scheduler")
                        .toString())
                .contains("NumaledgerBridgeAbsent", "{{ $labels.node }}");
        assertThat(helm.template(enabled + "kai").split("kind: PodMonitor\n")).hasSize(2);
        assertThat(helm.template(enabled + "scheduler").split("kind: PodMonitor\n"))
                .hasSize(3);
    }

    private static List<JsonNode> alerts() throws IOException {
        List<JsonNode> alerts = new ArrayList<>();
        for (JsonNode group : Helm.YAML.readTree(ALERTS.toFile()).get("groups")) {
            group.get("rules").forEach(alerts::add);
        }
        return alerts;
    }

    private static SortedSet<String> unknownMetrics(List<String> queries) throws IOException {
        String reference = Files.readString(Helm.ROOT.resolve("docs/reference/metrics.md"));
        SortedSet<String> unknown = new TreeSet<>();
        for (String query : queries) {
            Matcher metric = Pattern.compile("\\b(numaledger|process|jvm)_\\w+").matcher(query);
            while (metric.find()) {
                String name = metric.group();
                String family = name.replaceFirst("_(bucket|sum|count|max)$", "");
                if (!reference.contains("`" + name + "`") && !reference.contains("`" + family + "`")) {
                    unknown.add(name);
                }
            }
        }
        return unknown;
    }
}
