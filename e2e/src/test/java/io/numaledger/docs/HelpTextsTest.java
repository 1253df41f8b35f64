package io.numaledger.docs;

import io.numaledger.agent.AgentMain;
import io.numaledger.benchmarks.BenchmarksMain;
import io.numaledger.bridge.cli.BridgeCommand;
import io.numaledger.images.ImagesMain;
import io.numaledger.kubectl.PluginMain;
import io.numaledger.simulator.SimulatorMain;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The help and the errors of all commands of all programs. */
class HelpTextsTest {

    private static final Path ROOT = Path.of(System.getProperty("numaledger.root"));

    static Stream<CommandLine> commands() {
        return Stream.of(
                        AgentMain.commandLine(),
                        BenchmarksMain.commandLine(),
                        BridgeCommand.commandLine(),
                        ImagesMain.commandLine(),
                        PluginMain.commandLine(Map.of()),
                        SimulatorMain.commandLine())
                .flatMap(program -> Stream.concat(Stream.of(program), below(program)));
    }

    private static Stream<CommandLine> below(CommandLine command) {
        return command.getSubcommands().values().stream()
                .distinct()
                .flatMap(sub -> Stream.concat(Stream.of(sub), below(sub)));
    }

    static Stream<Arguments> programsOfTheScript() {
        return Stream.of(
                arguments("numa", PluginMain.commandLine(Map.of())),
                arguments("agent", AgentMain.commandLine()),
                arguments("bridge", BridgeCommand.commandLine()),
                arguments("bench", BenchmarksMain.commandLine()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programsOfTheScript")
    void theScriptNamesCommandsThatExist(String name, CommandLine program) throws IOException {
        Matcher line = Pattern.compile("(?m)^  %s \\.\\.\\. +[^:]+: ([^;]+); see".formatted(name))
                .matcher(Files.readString(ROOT.resolve("numaledger")));

        assertThat(line.find()).isTrue();
        assertThat(line.group(1).split(", "))
                .isSubsetOf(program.getSubcommands().keySet());
    }

    @Test
    void everyBenchmarkIsListed() throws IOException {
        Set<String> benchmarks =
                new TreeSet<>(BenchmarksMain.commandLine().getSubcommands().keySet());
        benchmarks.remove("help");

        assertThat(benchmarks).allSatisfy(benchmark -> {
            assertThat(ROOT.resolve("numaledger"))
                    .content()
                    .containsPattern("(?m)^  bench .*\\b%s\\b".formatted(benchmark));
            assertThat(ROOT.resolve("benchmarks/README.md")).content().contains("\n| `%s` |".formatted(benchmark));
        });
    }

    /** picocli writes the name of a field of ours where an option has no label. */
    @ParameterizedTest
    @MethodSource("commands")
    void labelsTheValuesOfOptionsInCapitals(CommandLine command) {
        assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF)).doesNotContainPattern("<[a-z]\\w*>");
    }

    /** In the third person, as in "Prints …". */
    @ParameterizedTest
    @MethodSource("commands")
    void saysWhatItDoes(CommandLine command) {
        assumeThat(command.getSubcommands()).as("a group of commands").isEmpty();
        assumeThat(command.getCommandName()).as("picocli's own").isNotEqualTo("help");

        assertThat(command.getCommandSpec().usageMessage().description()[0]).matches("[A-Z][a-z]+s,? .*");
    }

    @ParameterizedTest
    @MethodSource("commands")
    void reportsAnUnknownOptionInTwoLines(CommandLine command) {
        assumeThat(command.isUnmatchedOptionsArePositionalParams())
                .as("takes the options of another program")
                .isFalse();
        StringWriter err = new StringWriter();
        command.setErr(new PrintWriter(err, true));

        assertThat(command.execute("--no-such-option")).isEqualTo(2);
        assertThat(err.toString().lines())
                .hasSize(2)
                .last(STRING)
                .isEqualTo("see %s --help", command.getCommandSpec().qualifiedName());
    }
}
