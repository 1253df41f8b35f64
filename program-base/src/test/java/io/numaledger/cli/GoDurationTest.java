package io.numaledger.cli;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GoDurationTest {

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "1s, PT1S",
        "500ms, PT0.5S",
        "1m0s, PT1M",
        "1h2m3.5s, PT1H2M3.5S",
        ".5s, PT0.5S",
        "10us, PT0.00001S",
        "10µs, PT0.00001S",
        "-1s, PT-1S",
        "+2s, PT2S"
    })
    void readsGosSyntax(String text, Duration duration) {
        assertThat(new GoDuration().convert(text)).isEqualTo(duration);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "s", "1 s", "1d", "1s2", "PT1S", "9999999999999h"})
    void saysWhatIsNoDuration(String text) {
        assertThatThrownBy(() -> new GoDuration().convert(text))
                .isInstanceOf(TypeConversionException.class)
                .hasMessage("'%s' is not a duration; use a number with a unit, such as 500ms, 30s or 1m0s", text);
    }
}
