package io.numaledger.benchmarks.jmh;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;

/** {@code bench jmh}: hands its arguments to JMH, which has its own help. */
@Command(
        name = "jmh",
        description =
                "Runs the JMH classes: all, or those that match the given patterns. -h lists the options of JMH, -l the benchmarks.")
public final class JmhCommand implements Callable<Integer> {

    @Parameters(paramLabel = "ARGUMENT", description = "arguments of JMH")
    private List<String> arguments = List.of();

    @Override
    public Integer call() throws IOException {
        org.openjdk.jmh.Main.main(arguments.toArray(String[]::new));
        return 0;
    }
}
