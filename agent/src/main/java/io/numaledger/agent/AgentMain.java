package io.numaledger.agent;

import io.numaledger.agent.cleanup.CleanupCommand;
import io.numaledger.agent.config.GoFlags;
import io.numaledger.agent.doctor.AgentFlags;
import io.numaledger.agent.doctor.DoctorCommand;
import io.numaledger.agent.probe.ProbeCommand;
import io.numaledger.agent.run.OnceCommand;
import io.numaledger.agent.run.RunCommand;
import io.numaledger.cli.Failures;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.cli.ScriptArguments;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.cli.WrongArguments;
import io.numaledger.logging.LineLogging;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.util.List;
import java.util.Set;

import static java.util.Objects.requireNonNull;

/** The program of the DaemonSet. */
@Command(
        name = "agent",
        description = "Publishes what this node's kubelet allocated, NUMA node by NUMA node.",
        footer = "Flags without a command are those of run.",
        subcommands = {
            RunCommand.class,
            OnceCommand.class,
            ProbeCommand.class,
            DoctorCommand.class,
            CleanupCommand.class,
            CommandLine.HelpCommand.class
        },
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
public final class AgentMain {

    private static final Set<String> OWN_FLAGS = Set.of("-h", "--help", "-V", "--version");

    private AgentMain() {}

    public static void main(String[] args) {
        LineLogging.choose();
        System.exit(execute(ScriptArguments.of(args)));
    }

    /** Runs one command line; returns the exit status. */
    public static int execute(String... args) {
        List<String> words = List.of(GoFlags.toTwoDashes(args));
        boolean command = !words.isEmpty() && (!words.get(0).startsWith("-") || OWN_FLAGS.contains(words.get(0)));
        boolean named = command && words.get(0).equals("run");
        CommandLine line = command && !named ? commandLine() : explained(run());
        if (command && words.get(0).equals("doctor")) {
            requireNonNull(line.getSubcommands().get("doctor")).setDefaultValueProvider(AgentFlags.ofContainer(run()));
        }
        List<String> own = named ? words.subList(1, words.size()) : words;
        return TerminalWriter.execute(line, own.toArray(String[]::new));
    }

    /** All commands. */
    public static CommandLine commandLine() {
        return explained(new CommandLine(new AgentMain()));
    }

    private static CommandLine explained(CommandLine line) {
        return line.setCaseInsensitiveEnumValuesAllowed(false)
                .setParameterExceptionHandler(WrongArguments::print)
                .setExecutionExceptionHandler(Failures::print);
    }

    /** The command {@code run} alone: reading the flags of all other commands takes as long as the rest of the program's start. */
    private static CommandLine run() {
        return new CommandLine(new RunCommand()).setCommandName("agent run");
    }
}
