package io.numaledger.kubectl.output;

import io.numaledger.cli.Colours;
import io.numaledger.cli.Failures;
import io.numaledger.cli.GoDuration;
import io.numaledger.cli.TerminalWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Prints an answer once or, until the user ends it, again whenever it has changed. */
public final class Watch {

    private static final Duration SHORTEST = Duration.ofMillis(100);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    @Option(
            names = {"-w", "--watch"},
            description = "print again whenever something has changed")
    private boolean on;

    @Option(
            names = "--interval",
            paramLabel = "DURATION",
            converter = GoDuration.class,
            description = "how often --watch asks, such as 5s (default: 2s)")
    private Duration interval = Duration.ofSeconds(2);

    /** On a terminal, an answer takes the place of the last one. */
    public int run(Result.Source source, Colours colours) throws IOException {
        return run(source, colours, this::pause);
    }

    /** @param pause waits; false: it is over */
    int run(Result.Source source, Colours colours, BooleanSupplier pause) throws IOException {
        PrintWriter out = command.commandLine().getOut();
        Result last = source.next();
        boolean replaces = on && colours.on();
        if (replaces) {
            TerminalWriter.clearScreen(out);
        }
        print(last, out);
        while (on && pause.getAsBoolean()) {
            try {
                Result next = source.next();
                if (!next.equals(last)) {
                    if (replaces) {
                        TerminalWriter.clearScreen(out);
                    } else {
                        out.println();
                    }
                    print(next, out);
                    last = next;
                }
            } catch (IOException e) {
                // It may come back.
                command.commandLine().getErr().println(Failures.paragraph(String.valueOf(e.getMessage())));
            }
        }
        return last.status();
    }

    private static void print(Result result, PrintWriter out) {
        if (!result.text().isEmpty()) {
            TerminalWriter.printColoured(out, result.text() + System.lineSeparator());
        }
    }

    private boolean pause() {
        try {
            Thread.sleep((interval.compareTo(SHORTEST) < 0 ? SHORTEST : interval).toMillis());
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
