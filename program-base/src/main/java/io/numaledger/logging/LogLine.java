package io.numaledger.logging;

import org.slf4j.event.Level;
import org.slf4j.helpers.MessageFormatter;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What is to be logged.
 *
 * @param pattern with a {@code {}} for each argument
 */
record LogLine(
        Instant time, Level level, String logger, String pattern, List<Object> arguments, Optional<Throwable> thrown) {

    String message() {
        return MessageFormatter.basicArrayFormat(pattern, arguments.toArray());
    }
}
