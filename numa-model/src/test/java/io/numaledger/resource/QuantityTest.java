package io.numaledger.resource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class QuantityTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "999, 999",
        "1000, 1k",
        "1024, 1024",
        "10000, 10k",
        "1500000, 1500k",
        "2097152000, 2097152k",
        "2000000000, 2G",
        "68719476736000, 68719476736k",
        "1000000000000, 1T",
        "1000000000000000, 1P",
        "1000000000000000000, 1E",
        "9223372036854775807, 9223372036854775807",
        "-2000, -2k"
    })
    void writesTheCanonicalDecimalForm(long value, String text) {
        assertThat(Quantity.ofWhole(value)).isEqualTo(text);
        assertThat(Quantity.whole(text)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({"8000, 8", "1500, 1500m", "1, 1m", "8000000, 8k"})
    void writesMilliOnlyWhereItMust(long milli, String text) {
        assertThat(Quantity.ofMilli(milli)).isEqualTo(text);
        assertThat(Quantity.milli(text)).isEqualTo(milli);
    }

    @ParameterizedTest
    @CsvSource({
        "1.0001, 1001, 2",
        "0.1Gi, 107374182400, 107374183",
        "2e0, 2000, 2",
        "1E3, 1000000, 1000",
        "3u, 1, 1",
        ".5, 500, 1",
        "-1500m, -1500, -1"
    })
    void readsEverySpellingAndRoundsUp(String text, long milli, long whole) {
        assertThat(Quantity.milli(text)).isEqualTo(milli);
        assertThat(Quantity.whole(text)).isEqualTo(whole);
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "1.5Gi, 1610612736",
        "500m, 0.5",
        "1e3, 1000",
        "2E, 2000000000000000000",
        "3Ki, 3072",
        "-1k, -1000",
        "7n, 0.000000007"
    })
    void readsTheExactValue(String text, String value) {
        assertThat(Quantity.parse(text)).isEqualByComparingTo(value);
    }

    /** To read the digits of a longer one takes time that grows with their square. */
    @ParameterizedTest
    @ValueSource(strings = {"9", "0", "9.", "."})
    void refusesNumbersThatAreTooLong(String digits) {
        assertThatThrownBy(() -> Quantity.parse(digits.repeat(1 << 20)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageMatching("not a quantity: text='[0-9.]{40}…'; expected a number .*");
    }

    @Test
    void readsWhatTheApiServerWrites() {
        assertThat(Quantity.whole("9223372036854775807e999")).isEqualTo(Long.MAX_VALUE);
        assertThat(Quantity.whole("0." + "0".repeat(50) + "1")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " 1", "1KB", "Gi", "1ki", "one", "1.2.3", "0x10"})
    void saysWhatIsNoQuantity(String junk) {
        assertThatThrownBy(() -> Quantity.parse(junk))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "not a quantity: text='%s'; expected a number with an optional suffix, such as 500m, 8 or 16Gi"
                                .formatted(junk));
    }

    @ParameterizedTest
    @CsvSource({
        "memory, 5368709120, 5Gi",
        "memory, 5368710144, 5242881Ki",
        "memory, 1025, 1025",
        "memory, 0, 0",
        "memory, '', ''",
        "hugepages-2Mi, 512M, 500000Ki",
        "hugepages-1Gi, 2147483648, 2Gi",
        "cpu, 1024, 1024",
        "nvidia.com/gpu, 1k, 1k"
    })
    void writesBytesAsPeopleDo(String resource, String text, String readable) {
        assertThat(Quantity.readable(resource, text)).isEqualTo(readable);
    }
}
