package io.numaledger.bridge.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code bridge explain}: whether a pod fits each node, and why. */
@Command(
        name = "explain",
        description =
                "Shows which nodes fit a pod as far as NUMA alignment decides, where it would be placed, and why others refuse it.",
        footer =
                "Exit status: 0 each pod fits a node; 1 a pod fits none; 2 invalid input, or the source cannot be read.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
final class ExplainCommand implements Callable<Integer> {

    @Mixin
    private Explanations explanations;

    @Override
    public Integer call() throws IOException {
        return explanations.print(List.of());
    }
}
