package io.numaledger.bridge.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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

    @Mixin
    private Explanations explanations;

    @Option(
            names = "--evict",
            split = ",",
            required = true,
            paramLabel = "NAMESPACE/NAME",
            description = "the pods that have ended")
    private List<String> evicted = List.of();

    @Override
    public Integer call() throws IOException {
        return explanations.print(evicted);
    }
}
