package io.numaledger.bridge.cli;

import io.numaledger.bridge.cli.Explanations.Explained;
import io.numaledger.cli.Colours;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
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

    @Spec
    private CommandSpec command;

    @Mixin
    private Explanations explanations;

    @Mixin
    private ObjectSource source;

    @Override
    public Integer call() throws IOException {
        Optional<String> group = explanations.group("default");
        Explained explained = group.isPresent()
                ? explanations.explainGroup(source.zones(), group.get())
                : explanations.explain(source.zones(), explanations.pods("default"), List.of(), Colours.NONE);
        command.commandLine().getOut().println(explained.text());
        return explained.status();
    }
}
