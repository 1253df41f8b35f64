package io.numaledger.kubectl;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.objects.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Objects of a dump hold sequences for terminals wherever a tenant, an exporter or the dump's sender can write text. */
class ForeignTextTest {

    /** Clears the screen, colours, sets the title, rings, colours by C1, turns the direction, and begins a line. In YAML's double quotes. */
    private static final String SEQUENCE =
            "\\e[2J\\e[31mred\\e]0;t\\a\\x9b31m\\u202egnp\\u2066\\r\\n2026-01-01T00:00:00.000Z level=ERROR\\x7f\\u200b\\u2028";

    private static final String PLAIN = "\033[2J\033[31mred\033]0;t\007\u009b31m\u202egnp\u2066\r\n"
            + "2026-01-01T00:00:00.000Z level=ERROR\u007f\u200b\u2028";

    private static final String SHOWN =
            "\\u001b[2J\\u001b[31mred\\u001b]0;t\\u0007\\u009b31m\\u202egnp\\u2066\\u000d\\u000a"
                    + "2026-01-01T00:00:00.000Z level=ERROR\\u007f\\u200b\\u2028";

    @TempDir
    private Path directory;

    private String dump() throws IOException {
        String text = "\"" + SEQUENCE + "\"";
        String objects = ClusterYaml.node("n", text)
                + ClusterYaml.node("m")
                        .replace("topologyManagerScope, value: container", "topologyManagerScope, value: " + text)
                + ClusterYaml.node("x").replace("metadata: {name: x}", "metadata: {name: " + text + "}")
                + ClusterYaml.node("r").replace("nvidia.com/gpu, capacity", "\"e.com/" + SEQUENCE + "\", capacity")
                + ClusterYaml.running("a", "r", "cpu: \"2\", memory: 1Gi", "1-2")
                        .replace("name: a,", "name: \"a" + SEQUENCE + "\",")
                + ClusterYaml.pod(
                                "f",
                                "cpu: \"1\"",
                                "",
                                "",
                                ", phase: Failed, reason: TopologyAffinityError, message: " + text)
                        .replace("name: f,", "name: \"f" + SEQUENCE + "\",");
        return Files.writeString(directory.resolve("dump.yaml"), objects).toString();
    }

    private String pod() throws IOException {
        String pod = ClusterYaml.pod(
                "p",
                "cpu: \"2\", memory: 1Gi",
                ", annotations: {kai.scheduler/max-numa-spread: \"%s\"}".formatted(SEQUENCE),
                "  nodeSelector: {\"s\": \"%s\"}".formatted(SEQUENCE),
                "");
        return Files.writeString(directory.resolve("pod.yaml"), pod).toString();
    }

    @ParameterizedTest(name = "{1} -o {2}, colours: {0}")
    @CsvSource({
        "false, nodes, table",
        "false, nodes, wide",
        "false, nodes, json",
        "false, nodes, yaml",
        "false, node r, table",
        "false, node n m r, wide",
        "false, node r, yaml",
        "false, pods -A, wide",
        "false, pods -A, json",
        "false, top, wide",
        "false, explain, table",
        "false, explain, wide",
        "false, explain, json",
        "false, explain, yaml",
        "false, whatif, table",
        "false, doctor, ''",
        "true, nodes, wide",
        "true, node r, wide",
        "true, explain, wide",
        "true, pods -A, table",
        "true, doctor, ''"
    })
    void controlsNoTerminal(boolean coloured, String command, String format) throws IOException {
        List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ")));
        arguments.add("--dump=" + dump());
        if (command.equals("explain") || command.equals("whatif")) {
            arguments.addAll(List.of("-f", pod()));
        }
        if (command.equals("whatif")) {
            arguments.addAll(List.of("--evict", "default/a" + PLAIN));
        }
        if (!format.isEmpty()) {
            arguments.addAll(List.of("-o", format));
        }
        String printed = PluginRun.of(coloured, arguments);

        String text = printed.replaceAll("\033\\[(0|1|31|32|33)m", "");
        assertThat(text).doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\u2028\u2029&&[^\n]]");
        assertThat(text.lines()).noneMatch(line -> line.startsWith("2026-01-01"));
        assertThat(text).contains("u202e");
        assertThat(printed).doesNotContain("\033[31mred");
        if (coloured) {
            assertThat(printed).contains("\033[");
        }
    }

    @ParameterizedTest(name = "-o {0}")
    @CsvSource({"json", "yaml"})
    void documentsKeepTheirMeaning(String format) throws IOException {
        String printed = PluginRun.of(false, List.of("nodes", "--dump=" + dump(), "-o", format));
        ObjectMapper mapper = format.equals("json") ? new ObjectMapper() : new YAMLMapper();

        List<JsonNode> nodes =
                mapper.readerFor(JsonNode.class).<JsonNode>readValues(printed).readAll();

        assertThat(nodes)
                .anySatisfy(node -> assertThat(node.path("node").asText()).isEqualTo(PLAIN));
    }

    @Test
    void failuresAreLinesOfText() throws IOException {
        assertThat(PluginRun.of(true, List.of("explain", "default/" + PLAIN, "--dump=" + dump())))
                .isEqualTo("no such pod: pod=default/%s; did you mean default/a%s or default/f%s?\n"
                        .formatted(SHOWN, SHOWN, SHOWN));
        assertThat(PluginRun.of(true, List.of("nodes", "--dump=" + directory.resolve("a\033[31mred\nb"))))
                .contains("a\\u001b[31mred\n  b")
                .doesNotContain("\033");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "YAML that does not end, '{\"%s'",
        "a value of another type, '{apiVersion: v1, kind: Pod, metadata: \"%s\"}'",
        "an amount, '{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: \"%s\"}}}]}}'",
        "an unknown kind, '{apiVersion: v1, kind: \"%s\"}'",
        "an alias without an anchor, '*%s'"
    })
    void errorsAboutManifestsQuoteThemAsText(String what, String manifest) throws IOException {
        for (String sequence : List.of(SEQUENCE, PLAIN, "\033[31mred\nlevel=ERROR")) {
            Path file = Files.writeString(directory.resolve("bad.yaml"), manifest.formatted(sequence));
            String printed = PluginRun.of(true, List.of("explain", "-f", file.toString(), "--dump=" + dump()));

            assertThat(printed).isNotEmpty().doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\u2028\u2029&&[^\n]]");
            assertThat(printed.lines()).noneMatch(line -> line.startsWith("2026-01-01") || line.startsWith("level="));
        }
    }
}
