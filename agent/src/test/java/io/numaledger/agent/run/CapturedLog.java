package io.numaledger.agent.run;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The lines that are logged while this is open. */
public final class CapturedLog implements AutoCloseable {

    private final PrintStream before = System.err;
    private final ByteArrayOutputStream written = new ByteArrayOutputStream();

    public CapturedLog() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    /** The lines with an event, from {@code event=} on. */
    public List<String> events() {
        return written.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.contains("event="))
                .map(line -> line.substring(line.indexOf("event=")))
                .toList();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
