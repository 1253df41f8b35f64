package io.numaledger.simulator;

import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.cli.Failures;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.cli.WrongArguments;
import io.numaledger.simulator.cluster.DownCommand;
import io.numaledger.simulator.cluster.SimClusterException;
import io.numaledger.simulator.cluster.StatusCommand;
import io.numaledger.simulator.demo.DemoCommand;
import io.numaledger.simulator.deployment.UpCommand;
import io.numaledger.simulator.node.NodesCommand;
import io.numaledger.simulator.record.RecordCommand;
import io.numaledger.simulator.rehearsal.RequestCommands;
import io.numaledger.simulator.replay.ReplayCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;

import java.util.List;

/** Simulated nodes and clusters, and the demo. */
@Command(
        name = "sim",
        description = "Simulated nodes and clusters.",
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
public final class SimulatorMain {

    private static final List<Object> SUBCOMMANDS = List.of(
            DemoCommand.class,
            NodesCommand.class,
            UpCommand.class,
            StatusCommand.class,
            RequestCommands.named("restart-kubelet"),
            RequestCommands.named("fail-device"),
            RequestCommands.named("repair-device"),
            RequestCommands.named("add-plugin"),
            RequestCommands.named("stop-driver"),
            RequestCommands.named("start-driver"),
            RequestCommands.named("add-image"),
            DownCommand.class,
            RecordCommand.class,
            ReplayCommand.class,
            CommandLine.HelpCommand.class);

    private SimulatorMain() {}

    public static void main(String[] args) {
        CommandLine line = commandLine();
        if (args.length > 0 && args[0].equals("demo")) {
            // It is a command of the launcher's own.
            line.setCommandName("./numaledger");
        }
        System.exit(TerminalWriter.execute(line, args));
    }

    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new SimulatorMain());
        SUBCOMMANDS.forEach(line::addSubcommand);
        return line.setParameterExceptionHandler(WrongArguments::print)
                .setExecutionExceptionHandler(SimulatorMain::print);
    }

    private static int print(Exception failure, CommandLine command, ParseResult parsed) throws Exception {
        if (failure instanceof NotInTimeException || failure instanceof SimClusterException) {
            command.getErr().println(failure.getMessage());
            return 1;
        }
        return Failures.print(failure, command, parsed);
    }
}
