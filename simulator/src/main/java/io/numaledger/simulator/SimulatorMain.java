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
import io.numaledger.simulator.rehearsal.AddImageCommand;
import io.numaledger.simulator.rehearsal.AddPluginCommand;
import io.numaledger.simulator.rehearsal.FailDeviceCommand;
import io.numaledger.simulator.rehearsal.RepairDeviceCommand;
import io.numaledger.simulator.rehearsal.RestartKubeletCommand;
import io.numaledger.simulator.rehearsal.StartDriverCommand;
import io.numaledger.simulator.rehearsal.StopDriverCommand;
import io.numaledger.simulator.replay.ReplayCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;

/** Simulated nodes and clusters, and the demo. */
@Command(
        name = "sim",
        description = "Simulated nodes and clusters.",
        subcommands = {
            DemoCommand.class,
            NodesCommand.class,
            UpCommand.class,
            StatusCommand.class,
            RestartKubeletCommand.class,
            FailDeviceCommand.class,
            RepairDeviceCommand.class,
            AddPluginCommand.class,
            StopDriverCommand.class,
            StartDriverCommand.class,
            AddImageCommand.class,
            DownCommand.class,
            RecordCommand.class,
            ReplayCommand.class,
            CommandLine.HelpCommand.class
        },
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
public final class SimulatorMain {

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
        return new CommandLine(new SimulatorMain())
                .setParameterExceptionHandler(WrongArguments::print)
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
