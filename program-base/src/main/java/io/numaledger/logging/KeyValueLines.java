package io.numaledger.logging;

import io.numaledger.text.ControlCharacters;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** A log line as time, level and the line's own text; the stack of what was thrown follows on indented lines. */
final class KeyValueLines {

    private static final DateTimeFormatter MILLIS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private KeyValueLines() {}

    static String write(LogLine line) {
        StringWriter text = new StringWriter();
        text.append(MILLIS.format(line.time()))
                .append(" level=")
                .append(line.level().toString());
        text.append(' ').append(ControlCharacters.escaped(line.message())).append('\n');
        line.thrown().ifPresent(thrown -> text.append(ControlCharacters.indented(stack(thrown))));
        return text.toString();
    }

    private static String stack(Throwable thrown) {
        StringWriter stack = new StringWriter();
        thrown.printStackTrace(new PrintWriter(stack, true));
        return stack.toString();
    }
}
