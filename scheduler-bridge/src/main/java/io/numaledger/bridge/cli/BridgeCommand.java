package io.numaledger.bridge.cli;

import io.numaledger.bridge.run.RunCommand;
import io.numaledger.cli.Failures;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.cli.WrongArguments;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The subcommands. A failure prints one line, and the exit status is 1. */
@Command(
        name = "bridge",
        description = "Predicts NUMA placement for kube-scheduler. kubectl numa explains it.",
        subcommands = {RunCommand.class, SchedulerConfigCommand.class, HelmTestCommand.class},
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
public final class BridgeCommand {

    private BridgeCommand() {}

    public static CommandLine commandLine() {
        return new CommandLine(new BridgeCommand())
                .setParameterExceptionHandler(WrongArguments::print)
                .setExecutionExceptionHandler(Failures::print);
    }

    public static int execute(String... args) {
        return TerminalWriter.execute(commandLine(), args);
    }
}
