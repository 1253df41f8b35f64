package io.numaledger.bridge.run;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class LogLinesTest {

    private static final String FORGED = "x\n2026-01-01T00:00:00.000Z level=INFO event=pod.bound pod=a/b";

    private final LogLines lines = new LogLines();

    private static LoggingEvent event(Throwable thrown, String pattern, Object... arguments) {
        LoggerContext context = new LoggerContext();
        LoggingEvent event = new LoggingEvent(
                LogLinesTest.class.getName(), context.getLogger("a"), Level.WARN, pattern, thrown, arguments);
        event.setTimeStamp(1_700_000_000_000L);
        return event;
    }

    @Test
    void anEntryIsOneLineWithoutControlCharacters() {
        assertThat(lines.doLayout(
                        event(null, "event=bind.refused pod={} reason=\"{}\"", "default/p", FORGED + "\033[2J")))
                .isEqualTo("2023-11-14T22:13:20.000Z level=WARN event=bind.refused pod=default/p reason=\"x\\u000a"
                        + "2026-01-01T00:00:00.000Z level=INFO event=pod.bound pod=a/b\\u001b[2J\"\n");
    }

    @Test
    void theStackOfAFailureIsIndented() {
        String entry = lines.doLayout(
                event(new IllegalStateException(FORGED, new IllegalArgumentException("\u009b\r" + FORGED)), "event=a"));

        assertThat(entry.lines().skip(1))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).startsWith("\t").doesNotContain("\u009b"));
        assertThat(entry).contains("\tjava.lang.IllegalStateException: x\n", "\t    at ", "\tCaused by: ");
    }

    /** The bridge's own configuration of its log. */
    @Test
    @ResourceLock(Resources.SYSTEM_ERR)
    void theBridgeLogsLikeThis() {
        LoggerContext context = new LoggerContext();
        context.setMDCAdapter(new LogbackMDCAdapter());
        PrintStream before = System.err;
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
        try {
            LogSetup setup = new LogSetup();
            setup.setContext(context);
            setup.configure(context);
            Logger logger = context.getLogger("io.numaledger.bridge.run.A");
            logger.info("event=a.b node={} error=\"{}\"", "n\u00e4", FORGED);
        } finally {
            System.setErr(before);
        }

        assertThat(written.toString(StandardCharsets.UTF_8))
                .matches(
                        "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z level=INFO event=a\\.b node=n\u00e4 error=\"x[^\n]*\"\n");
    }
}
