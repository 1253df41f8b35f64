package io.numaledger.agent.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JsonLinesTest {

    @Test
    void keepsNumbersTruthAndTextApart() {
        assertThat(line("event=a.b node={} zones={} strict={}", "n1", 2, true))
                .endsWith("\"level\":\"INFO\",\"event\":\"a.b\",\"node\":\"n1\",\"zones\":2,\"strict\":true}\n");
    }

    @Test
    void takesAnyTextAsAValue() {
        assertThat(line("event=a.b reason='{}'", "it's \"x=y\" z=1\nnext"))
                .endsWith("\"event\":\"a.b\",\"reason\":\"it's \\\"x=y\\\" z=1\\nnext\"}\n");
    }

    @Test
    void fillsValuesThatAreTextAndPlaceholders() {
        assertThat(line("event=a.b effect='polling every {} ms' advice='grant watch'", 1000))
                .endsWith("\"effect\":\"polling every 1000 ms\",\"advice\":\"grant watch\"}\n");
    }

    @Test
    void wrapsTheLinesOfLibraries() {
        assertThat(line("cannot {}", "connect"))
                .endsWith("\"level\":\"INFO\",\"logger\":\"test\",\"message\":\"cannot connect\"}\n");
    }

    private static String line(String pattern, Object... arguments) {
        Logger logger = new LoggerContext().getLogger("test");
        return new JsonLines().doLayout(new LoggingEvent("", logger, Level.INFO, pattern, null, arguments));
    }
}
