package io.numaledger.bridge.run;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.LayoutBase;
import io.numaledger.cli.ControlCharacters;

import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** A log entry as time, level and the entry's own text on one line; the stack of what was thrown follows on indented lines. */
final class LogLines extends LayoutBase<ILoggingEvent> {

    private static final DateTimeFormatter MILLIS =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    @Override
    public String doLayout(ILoggingEvent event) {
        String line = "%s level=%s %s\n"
                .formatted(
                        MILLIS.format(Instant.ofEpochMilli(event.getTimeStamp())),
                        event.getLevel(),
                        ControlCharacters.escaped(event.getFormattedMessage()));
        return event.getThrowableProxy() == null
                ? line
                : line + ControlCharacters.indented(ThrowableProxyUtil.asString(event.getThrowableProxy()));
    }
}
