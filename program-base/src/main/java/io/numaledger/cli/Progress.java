package io.numaledger.cli;

import picocli.CommandLine.Help.Ansi;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The steps of a command that takes time: a line with the elapsed time for each step of more than two seconds. A terminal also shows the
 * present step, with a spinner.
 */
public final class Progress implements AutoCloseable {

    private static final Duration SHOWN_AFTER = Duration.ofSeconds(2);
    private static final long NANOS = 1_000_000_000;
    private static final long FRAME_NANOS = NANOS / 10;
    private static final String FRAMES = "|/-\\";
    private static final String CLEAR_LINE = "\r\033[K";

    private final PrintWriter lines;
    private final Optional<PrintStream> terminal;
    private final LongSupplier nanoTime;
    private Optional<String> step = Optional.empty();
    private long start;

    Progress(PrintWriter lines, Optional<PrintStream> terminal, LongSupplier nanoTime) {
        this.lines = lines;
        this.terminal = terminal;
        this.nanoTime = nanoTime;
    }

    /** @param lines the error output of a command, so that its output can be read by programs */
    public static Progress on(PrintWriter lines) {
        Optional<PrintStream> terminal = Ansi.AUTO.enabled() ? Optional.of(System.err) : Optional.empty();
        return new Progress(lines, terminal, System::nanoTime);
    }

    /** Begins a step, if it is not the present one, and ends the one before. Call it often while the step lasts. */
    public void step(String name) {
        if (step.filter(name::equals).isEmpty()) {
            close();
            step = Optional.of(name);
            start = nanoTime.getAsLong();
        }
        long took = nanoTime.getAsLong() - start;
        terminal.ifPresent(screen -> screen.printf(
                Locale.ROOT,
                "%s%c %d s %s",
                CLEAR_LINE,
                FRAMES.charAt((int) (took / FRAME_NANOS % FRAMES.length())),
                took / NANOS,
                name));
    }

    /** Ends the present step. */
    @Override
    public void close() {
        terminal.ifPresent(screen -> screen.print(CLEAR_LINE));
        terminal.ifPresent(PrintStream::flush);
        long took = nanoTime.getAsLong() - start;
        step.filter(name -> took > SHOWN_AFTER.toNanos())
                .ifPresent(name -> lines.printf(Locale.ROOT, "%6.1f s  %s%n", (double) took / NANOS, name));
        lines.flush();
        step = Optional.empty();
    }
}
