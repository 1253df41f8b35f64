package io.numaledger.logging;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

import static org.assertj.core.api.Assertions.assertThat;

class LineLoggersTest {

    private static final String TIME = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";

    private final ByteArrayOutputStream written = new ByteArrayOutputStream();
    private final PrintStream before = System.err;

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(written, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void listenNoMore() {
        System.setErr(before);
    }

    @Test
    void writesTimeLevelAndTheFilledPattern() {
        new LineLoggers("info").getLogger("io.numaledger.agent.A").info("event=a.b node={} zones={}", "é", 2);

        assertThat(text()).matches(TIME + " level=INFO event=a.b node=é zones=2\n");
    }

    @Test
    void writesOurLinesFromTheChosenLevelOnAndWarningsOfLibraries() {
        LineLoggers loggers = new LineLoggers("DEBUG");
        Logger own = loggers.getLogger("io.numaledger.agent.A");
        Logger library = loggers.getLogger("com.example.B");

        own.trace("own trace");
        own.debug("own debug");
        library.info("library info");
        library.warn("library warn");

        assertThat(text().lines())
                .extracting(line -> line.replaceFirst(TIME, "").trim())
                .containsExactly("level=DEBUG own debug", "level=WARN library warn");
    }

    @Test
    void doesNotRepeatWhatLibrariesWarnOfInVain() {
        LineLoggers loggers = new LineLoggers("info");

        loggers.getLogger("io.fabric8.kubernetes.client.dsl.internal.VersionUsageUtils")
                .warn("Unknown version");
        loggers.getLogger("io.fabric8.kubernetes.client.informers.impl.cache.Reflector")
                .error("Unknown failure");

        loggers.getLogger("io.netty.bootstrap.Bootstrap").warn("Unknown channel option");
        loggers.getLogger("io.netty.channel.A").warn("another");

        assertThat(text()).contains("another").doesNotContain("Unknown");
    }

    @Test
    void takesAnUnknownLevelAsInfoAndWritesNothingWhenOff() {
        new LineLoggers("loud").getLogger("io.numaledger.A").info("heard");
        new LineLoggers("off").getLogger("io.numaledger.A").error("unheard");

        assertThat(text()).contains("heard").doesNotContain("unheard");
    }

    @Test
    void anEntryIsOneLineWithoutControlCharacters() {
        Logger logger = new LineLoggers("info").getLogger("io.numaledger.A");
        String forged = "x\033[2J\u202e\n2026-01-01T00:00:00.000Z level=INFO event=nrt.published";

        logger.warn("event=a.b error='{}'", forged, new IllegalStateException(forged));

        assertThat(text().lines().skip(1)).isNotEmpty().allMatch(line -> line.startsWith("\t"));
        assertThat(text())
                .contains("error='x\\u001b[2J\\u202e\\u000a2026-01-01T00")
                .doesNotContain("\033", "\u202e");
    }

    @Test
    void writesTheStackOfWhatWasThrown() {
        Logger logger = new LineLoggers("info").getLogger("io.numaledger.A");

        logger.warn("event=a.b reason='{}'", "why", new IllegalStateException("gone"));

        assertThat(text())
                .contains("event=a.b reason='why'\n\tjava.lang.IllegalStateException: gone\n")
                .contains("\t    at " + LineLoggersTest.class.getName());
    }

    @Test
    void writesJsonFromNowOn() {
        LineLoggers loggers = new LineLoggers("info");

        loggers.format(LogFormat.JSON);
        loggers.getLogger("io.numaledger.A").info("event=a.b n={}", 1);

        assertThat(text()).endsWith("\"level\":\"INFO\",\"event\":\"a.b\",\"n\":1}\n");
    }

    private String text() {
        return written.toString(StandardCharsets.UTF_8);
    }
}
