package io.numaledger.bridge.cli;

import io.numaledger.bridge.api.Zones.ExplainedPod;
import io.numaledger.bridge.cli.Explanations.Explained;
import io.numaledger.cli.Colours;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code bridge whatif}: whether a pod would fit after others have ended. */
@Command(
        name = "whatif",
        description = "Shows which nodes would fit a pod after other pods have ended.",
        footer =
                "Exit status: 0 each pod fits a node; 1 a pod fits none; 2 invalid input, or the source cannot be read.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class WhatifCommand implements Callable<Integer> {

    @Spec
    private CommandSpec command;

    @Mixin
    private Explanations explanations;

    @Mixin
    private ObjectSource source;

    @Option(
            names = "--evict",
            split = ",",
            required = true,
            paramLabel = "NAMESPACE/NAME",
            description = "the pods that have ended")
    private List<String> ended = List.of();

    @Override
    public Integer call() throws IOException {
        List<ExplainedPod> pods = explanations.pods("default");
        Explained explained = explanations.explain(source.zones(), pods, ended, Colours.NONE);
        command.commandLine().getOut().println(explained.text());
        return explained.status();
    }
}
