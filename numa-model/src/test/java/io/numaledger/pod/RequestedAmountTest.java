package io.numaledger.pod;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RequestedAmountTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            8                | 8             | 8000
            1500m            | 2             | 1500
            1.0001           | 2             | 1001
            2e3              | 2000          | 2000000
            1.5Gi            | 1610612736    | 1610612736000
            0                | 0             | 0
            """)
    void roundsUpAsTheKubeletDoes(String text, long whole, long millis) {
        assertThat(RequestedAmount.parse(text).whole()).isEqualTo(whole);
        assertThat(RequestedAmount.parse(text).millis()).isEqualTo(millis);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            2000400u | 2000
            2000500u | 2001
            2        | 2000
            """)
    void roundsToTheNearestThousandth(String text, long millis) {
        assertThat(RequestedAmount.parse(text).nearestMillis()).isEqualTo(millis);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            1536Mi           | true
            1.5Gi            | false
            1.5G             | true
            107374182400m    | false
            500m             | false
            1.0              | false
            99999Gi          | true
            100000Gi         | false
            1e3              | true
            """)
    void knowsWhichSpellingsTheMemoryManagerCanRead(String text, boolean readable) {
        assertThat(RequestedAmount.parse(text).readAsInt64().isPresent()).isEqualTo(readable);
    }

    @ParameterizedTest(name = "{0} in {1} digits: {2}")
    @CsvSource(delimiter = '|', textBlock = """
            123456789012345678  | 18 | true
            1234567890123456789 | 18 | false
            1234567890123456789 | 19 | true
            9223372036854775807 | 19 | true
            9223372036854775808 | 19 | false
            1.5Gi               | 19 | false
            """)
    void readsNumbersOfAsManyDigitsAsTheKubeletKeeps(String text, int digits, boolean readable) {
        assertThat(RequestedAmount.parse(text).readAsInt64(digits).isPresent()).isEqualTo(readable);
    }

    @Test
    void refusesWhatIsNoQuantity() {
        assertThatThrownBy(() -> RequestedAmount.parse("4 GB"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("text='4 GB'");
    }
}
