package io.numaledger.kubectl;

import io.numaledger.cli.Failures;
import io.numaledger.cli.ProgramVersion;
import io.numaledger.cli.TerminalWriter;
import io.numaledger.cli.WrongArguments;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.doctor.DoctorView;
import io.numaledger.kubectl.rehearse.RehearseCommand;
import io.numaledger.kubectl.ui.UiCommand;
import io.numaledger.kubectl.view.AuditView;
import io.numaledger.kubectl.view.ExplainView;
import io.numaledger.kubectl.view.NodeView;
import io.numaledger.kubectl.view.NodesView;
import io.numaledger.kubectl.view.PodsView;
import io.numaledger.kubectl.view.StrandedView;
import io.numaledger.kubectl.view.TopView;
import io.numaledger.kubectl.view.WhatifView;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.util.Arrays;
import java.util.List;

/** The subcommands. A failure prints one line, and the exit status is 2. */
@Command(
        name = "kubectl numa",
        description = "Shows the NUMA zones of a cluster, who holds them, and what fits.",
        footer = {
            "",
            "All commands take the options of kubectl that select a cluster and a user, such as --context and --as."
        },
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
final class PluginCommand {

    private static final String COMPLETE = "__complete";

    private PluginCommand() {}

    static CommandLine commandLine(Surroundings surroundings) {
        CommandLine line = new CommandLine(new PluginCommand());
        line.addSubcommand(new NodesView(surroundings));
        line.addSubcommand(new NodeView(surroundings));
        line.addSubcommand(new PodsView(surroundings));
        line.addSubcommand(new ExplainView(surroundings));
        line.addSubcommand(new WhatifView(surroundings));
        line.addSubcommand(new TopView(surroundings));
        line.addSubcommand(new AuditView(surroundings));
        line.addSubcommand(new StrandedView(surroundings));
        line.addSubcommand(RehearseCommand.commandLine(surroundings));
        line.addSubcommand(new DoctorView(surroundings));
        line.addSubcommand(new UiCommand(surroundings));
        return line.setParameterExceptionHandler(WrongArguments::print).setExecutionExceptionHandler(Failures::print);
    }

    /** Runs a command, or proposes words; returns the exit status. */
    static int execute(CommandLine line, Surroundings surroundings, String... args) {
        TerminalWriter.on(line);
        if (args.length > 0 && args[0].equals(COMPLETE)) {
            List<String> words = Arrays.asList(args).subList(1, args.length);
            line.getOut().println(Completion.of(line, new Kubectl(surroundings.kubectl(), List.of()), words));
            line.getOut().flush();
            return 0;
        }
        return line.execute(args);
    }
}
