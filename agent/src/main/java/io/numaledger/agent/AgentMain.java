package io.numaledger.agent;

import io.numaledger.agent.cleanup.CleanupCommand;
import io.numaledger.agent.config.GoFlags;
import io.numaledger.agent.doctor.DoctorCommand;
import io.numaledger.agent.probe.ProbeCommand;
import io.numaledger.agent.run.OnceCommand;
import io.numaledger.agent.run.RunCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.util.List;
import java.util.Set;

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
        mixinStandardHelpOptions = true)
public final class AgentMain {

    private static final Set<String> OWN_FLAGS = Set.of("-h", "--help", "-V", "--version");

    private AgentMain() {}

    public static void main(String[] args) {
        System.exit(execute(args));
    }

    /** Runs one command line; returns the exit status. */
    public static int execute(String... args) {
        String[] flags = GoFlags.toTwoDashes(args);
        boolean command = flags.length > 0 && (!flags[0].startsWith("-") || OWN_FLAGS.contains(flags[0]));
        String[] all = flags;
        if (!command) {
            all = java.util.stream.Stream.concat(java.util.stream.Stream.of("run"), List.of(flags).stream())
                    .toArray(String[]::new);
        }
        return new CommandLine(new AgentMain())
                .setCaseInsensitiveEnumValuesAllowed(false)
                .execute(all);
    }
}
