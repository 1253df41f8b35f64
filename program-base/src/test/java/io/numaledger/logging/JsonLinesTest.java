package io.numaledger.logging;

import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

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
    void writesControlCharactersAsEscapes() {
        assertThat(line("event=a.b reason='{}'", "\033[2J\u007f\u009b31m\u202e\u2028"))
                .endsWith("\"reason\":\"\\u001B[2J\\u007f\\u009b31m\\u202e\\u2028\"}\n");
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

    @Test
    void namesWhatWasThrown() {
        LogLine line = line(Optional.of(new IllegalStateException("gone")), "event=a.b");

        assertThat(JsonLines.write(line)).endsWith("\"error\":\"java.lang.IllegalStateException: gone\"}\n");
    }

    private static String line(String pattern, Object... arguments) {
        return JsonLines.write(line(Optional.empty(), pattern, arguments));
    }

    private static LogLine line(Optional<Throwable> thrown, String pattern, Object... arguments) {
        return new LogLine(Instant.EPOCH, Level.INFO, "test", pattern, List.of(arguments), thrown);
    }
}
