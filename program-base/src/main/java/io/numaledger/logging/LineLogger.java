package io.numaledger.logging;

import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The logger of one name. */
final class LineLogger extends LegacyAbstractLogger {

    private static final long serialVersionUID = 1;

    private final transient LineLoggers loggers;
    private final int lowest;

    /** @param lowest the level that is still written, as SLF4J numbers levels */
    LineLogger(String name, LineLoggers loggers, int lowest) {
        this.name = name;
        this.loggers = loggers;
        this.lowest = lowest;
    }

    @Override
    protected String getFullyQualifiedCallerName() {
        return LineLogger.class.getName();
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level, Marker marker, String pattern, Object[] arguments, Throwable thrown) {
        List<Object> all = arguments == null ? List.of() : Arrays.asList(arguments);
        loggers.write(
                new LogLine(Instant.now(), level, name, String.valueOf(pattern), all, Optional.ofNullable(thrown)));
    }

    @Override
    public boolean isTraceEnabled() {
        return enabled(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return enabled(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return enabled(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return enabled(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return enabled(Level.ERROR);
    }

    private boolean enabled(Level level) {
        return level.toInt() >= lowest;
    }
}
