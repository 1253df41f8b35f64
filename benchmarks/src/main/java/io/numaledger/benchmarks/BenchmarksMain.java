package io.numaledger.benchmarks;

import io.numaledger.apiservers.wait.NotInTimeException;
import io.numaledger.benchmarks.capacity.CapacityCommand;
import io.numaledger.benchmarks.churn.ChurnCommand;
import io.numaledger.benchmarks.claims.ClaimsCommand;
import io.numaledger.benchmarks.fleet.FilterCommand;
import io.numaledger.benchmarks.fleet.FleetCommand;
import io.numaledger.benchmarks.fleet.RehearseCommand;
import io.numaledger.benchmarks.fleet.SchedulerCommand;
import io.numaledger.benchmarks.fleet.StrandedCommand;
import io.numaledger.benchmarks.footprint.FootprintCommand;
import io.numaledger.benchmarks.groups.GroupsCommand;
import io.numaledger.benchmarks.jmh.JmhCommand;
import io.numaledger.benchmarks.soak.SoakCommand;
import io.numaledger.benchmarks.trace.TraceCommand;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.cli.WrongArguments;
import io.numaledger.simulator.cluster.SimClusterException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import static java.util.Objects.requireNonNull;

/** Starts a benchmark by name. */
@Command(
        name = "bench",
        description =
                "Measures the programs. benchmarks/README.md says what each benchmark needs and how long it takes.",
        subcommands = {
            FootprintCommand.class,
            FleetCommand.class,
            FilterCommand.class,
            SchedulerCommand.class,
            StrandedCommand.class,
            RehearseCommand.class,
            JmhCommand.class,
            ChurnCommand.class,
            GroupsCommand.class,
            ClaimsCommand.class,
            CapacityCommand.class,
            TraceCommand.class,
            SoakCommand.class,
            CommandLine.HelpCommand.class
        },
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
public final class BenchmarksMain {

    private BenchmarksMain() {}

    public static void main(String[] args) {
        System.exit(TerminalWriter.execute(commandLine(), args));
    }

    public static CommandLine commandLine() {
        CommandLine bench = new CommandLine(new BenchmarksMain())
                .setParameterExceptionHandler(WrongArguments::print)
                .setExecutionExceptionHandler((failure, command, parsed) -> explain(failure, command))
                .setCaseInsensitiveEnumValuesAllowed(true);
        bench.getSubcommands()
                .values()
                .forEach(command -> command.getCommandSpec().usageMessage().showDefaultValues(true));
        requireNonNull(bench.getSubcommands().get("jmh")).setUnmatchedOptionsArePositionalParams(true);
        return bench;
    }

    /** What the machine lacks is said in a sentence. Anything else is a fault of the benchmark or of what it measures. */
    private static int explain(Exception failure, CommandLine command) throws Exception {
        if (failure instanceof SimClusterException || failure instanceof NotInTimeException) {
            command.getErr().println(failure.getMessage());
            return 1;
        }
        throw failure;
    }
}
