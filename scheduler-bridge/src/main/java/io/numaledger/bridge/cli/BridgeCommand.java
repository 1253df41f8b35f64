package io.numaledger.bridge.cli;

import io.numaledger.cli.ProgramVersion;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** The subcommands. A failure prints one line; commands that answer a question then exit with 2, others with 1. */
@Command(
        name = "bridge",
        description = "Predicts NUMA placement for kube-scheduler, and explains it.",
        subcommands = {
            RunCommand.class,
            ExplainCommand.class,
            WhatifCommand.class,
            NodesCommand.class,
            SchedulerConfigCommand.class
        },
        versionProvider = ProgramVersion.class,
        mixinStandardHelpOptions = true)
public final class BridgeCommand {

    private BridgeCommand() {}

    public static CommandLine commandLine() {
        CommandLine line = new CommandLine(new BridgeCommand());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println(sentence(failure));
            return command.getCommandSpec().exitCodeOnExecutionException();
        });
        return line;
    }

    public static int execute(String... args) {
        return commandLine().execute(args);
    }

    private static String sentence(Exception failure) throws Exception {
        if (failure instanceof NoSuchFileException missing) {
            return "cannot read a file: file=%s does not exist; check the path".formatted(missing.getFile());
        }
        if (failure instanceof IOException || failure instanceof IllegalArgumentException) {
            return String.valueOf(failure.getMessage());
        }
        throw failure;
    }
}
