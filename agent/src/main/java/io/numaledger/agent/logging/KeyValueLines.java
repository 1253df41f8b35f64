package io.numaledger.agent.logging;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** A log line as time, level and the line's own text; the stack of what was thrown follows on lines of its own. */
final class KeyValueLines {

    private static final DateTimeFormatter MILLIS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private KeyValueLines() {}

    static String write(LogLine line) {
        StringWriter text = new StringWriter();
        text.append(MILLIS.format(line.time()))
                .append(" level=")
                .append(line.level().toString());
        text.append(' ').append(line.message()).append('\n');
        line.thrown().ifPresent(thrown -> thrown.printStackTrace(new PrintWriter(text, true)));
        return text.toString();
    }
}
