package io.numaledger.docs;

import io.numaledger.agent.AgentMain;
import io.numaledger.benchmarks.BenchmarksMain;
import io.numaledger.bridge.cli.BridgeCommand;
import io.numaledger.images.ImagesMain;
import io.numaledger.kubectl.PluginMain;
import io.numaledger.simulator.SimulatorMain;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

/** The help and the errors of all commands of all programs. */
class HelpTextsTest {

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

    /** picocli writes the name of a field of ours where an option has no label. */
    @ParameterizedTest
    @MethodSource("commands")
    void labelsTheValuesOfOptionsInCapitals(CommandLine command) {
        assertThat(command.getUsageMessage(CommandLine.Help.Ansi.OFF)).doesNotContainPattern("<[a-z]\\w*>");
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
