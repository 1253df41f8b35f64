package io.numaledger.benchmarks.figures;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.util.List;

/** Where a command prints its figures, each line as soon as they are known. */
@Command
public final class Output {

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** Prints a line {@code measured: name=value …}. */
    public void measured(String figures) {
        line("measured: " + figures);
    }

    public void line(String text) {
        writer().println(text);
    }

    public PrintWriter writer() {
        return command.commandLine().getOut();
    }

    /** Prints the failures as errors, and returns the exit status: 1 if there are any. */
    public int exitStatus(List<String> failures) {
        failures.forEach(command.commandLine().getErr()::println);
        return failures.isEmpty() ? 0 : 1;
    }

    public ParameterException wrongArgument(String why) {
        return new ParameterException(command.commandLine(), why);
    }
}
