package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.plugin.PluginRun;
import io.numaledger.cli.TerminalWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

/** Objects of a dump hold sequences for terminals wherever a tenant, an exporter or the dump's sender can write text. */
class ForeignTextTest {

    /** Clears the screen, sets the title, rings, colours by C1, turns the direction, and begins a line. In YAML's double quotes. */
    private static final String SEQUENCE =
            "\\e[2J\\e]0;t\\a\\x9b31m\\u202egnp\\u2066\\r\\n2026-01-01T00:00:00.000Z level=ERROR\\x7f\\u200b\\u2028";

    private static final String PLAIN = "\033[2J\033]0;t\007\u009b31m\u202egnp\u2066\r\n"
            + "2026-01-01T00:00:00.000Z level=ERROR\u007f\u200b\u2028";

    private static final String SHOWN = "\\u001b[2J\\u001b]0;t\\u0007\\u009b31m\\u202egnp\\u2066\\u000d\\u000a"
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
                + ClusterYaml.pod("f", "cpu: \"1\"", "", "", ", phase: Failed, reason: TopologyAffinityError")
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

    private static String bridge(List<String> arguments) {
        StringWriter out = new StringWriter();
        CommandLine line =
                BridgeCommand.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        TerminalWriter.execute(line, arguments.toArray(String[]::new));
        return out.toString();
    }

    @ParameterizedTest(name = "{0} {1} -o {2}")
    @CsvSource({
        "bridge, nodes, table", "bridge, nodes, wide", "bridge, nodes, json", "bridge, nodes, yaml",
        "bridge, explain, table", "bridge, explain, wide", "bridge, explain, json", "bridge, explain, yaml",
        "bridge, whatif, table", "plugin, nodes, table", "plugin, nodes, wide", "plugin, nodes, json",
        "plugin, node r, table", "plugin, node n m r, wide", "plugin, node r, yaml", "plugin, pods -A, wide",
        "plugin, pods -A, json", "plugin, top, wide", "plugin, explain, wide", "plugin, explain, json",
        "plugin, doctor, ''", "colours, nodes, wide", "colours, node r, wide", "colours, explain, wide",
        "colours, pods -A, table", "colours, doctor, ''"
    })
    void controlsNoTerminal(String program, String command, String format) throws IOException {
        List<String> arguments = new ArrayList<>(Arrays.asList(command.split(" ")));
        arguments.add("--dump=" + dump());
        if (command.equals("explain") || command.equals("whatif")) {
            arguments.addAll(List.of("-f", pod()));
        }
        if (command.equals("whatif")) {
            arguments.addAll(List.of("--evict", "default/none"));
        }
        if (!format.isEmpty()) {
            arguments.addAll(List.of("-o", format));
        }
        String printed =
                program.equals("bridge") ? bridge(arguments) : PluginRun.of(program.equals("colours"), arguments);

        String text = printed.replaceAll("\033\\[(0|1|31|32|33)m", "");
        assertThat(text).doesNotContainPattern("[\\p{Cntrl}\\p{Cf}\u2028\u2029&&[^\n]]");
        assertThat(text.lines()).noneMatch(line -> line.startsWith("2026-01-01"));
        assertThat(text).contains("u202e");
        if (program.equals("colours")) {
            assertThat(printed).contains("\033[").doesNotContain("\033[31mgnp");
        }
    }

    @ParameterizedTest(name = "-o {0}")
    @CsvSource({"json", "yaml"})
    void documentsKeepTheirMeaning(String format) throws IOException {
        String printed = bridge(List.of("nodes", "--dump=" + dump(), "-o", format));
        ObjectMapper mapper = format.equals("json") ? new ObjectMapper() : new YAMLMapper();

        List<JsonNode> nodes =
                mapper.readerFor(JsonNode.class).<JsonNode>readValues(printed).readAll();

        assertThat(nodes)
                .anySatisfy(node -> assertThat(node.path("node").asText()).isEqualTo(PLAIN));
    }

    @Test
    void failuresAreLinesOfText() throws IOException {
        assertThat(bridge(List.of("explain", "default/" + PLAIN.replace("\r\n", ""), "--dump=" + dump())))
                .isEqualTo("no such pod: pod=default/%s; name it namespace/name\n"
                        .formatted(SHOWN.replace("\\u000d\\u000a", "")));
        assertThat(bridge(List.of("explain", "--dump=" + directory.resolve("a\033[2J"))))
                .contains("a\\u001b[2J")
                .doesNotContain("\033[2J");
    }
}
