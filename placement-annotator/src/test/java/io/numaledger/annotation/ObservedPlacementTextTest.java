package io.numaledger.annotation;

import io.numaledger.placement.Placement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ObservedPlacementTextTest {

    @Test
    void sortsZonesAndResourcesAsStringsAndWritesCanonicalQuantities() {
        Placement placement = new Placement.Builder()
                .add(10, "cpu", 3000)
                .add(2, "nvidia.com/gpu", 2)
                .add(2, "Example.com/x", 1)
                .add(2, "memory", 2097152000L)
                .add(2, "cpu", 1000_000)
                .add(1, "hugepages-2Mi", 1000)
                .build();
        String text = ObservedPlacementText.write(placement);
        assertThat(text)
                .isEqualTo("[{\"zone\":\"node-1\",\"amount\":{\"hugepages-2Mi\":\"1k\"}},"
                        + "{\"zone\":\"node-10\",\"amount\":{\"cpu\":\"3\"}},"
                        + "{\"zone\":\"node-2\",\"amount\":{\"Example.com/x\":\"1\",\"cpu\":\"1k\",\"memory\":\"2097152k\","
                        + "\"nvidia.com/gpu\":\"2\"}}]");
        assertThat(ObservedPlacementText.read(text)).isEqualTo(placement);
    }

    @Test
    void readsWhatOthersWrite() {
        String text =
                " [ {\"amount\": {\"cpu\": \"1500m\", \"memory\": \"1Gi\", \"x/y\": 2}, \"more\": [1], \"zone\": \"node-0\"} ] ";
        assertThat(ObservedPlacementText.read(text))
                .isEqualTo(new Placement.Builder()
                        .add(0, "cpu", 1500)
                        .add(0, "memory", 1L << 30)
                        .add(0, "x/y", 2)
                        .build());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            garbage                                        | Unrecognized token
            {}                                             | it is no JSON array
            []                                             | it names no amount
            [1]                                            | it is not one array of objects
            [{"zone":"node-0","amount":{"cpu":"1"}}] x     | Unrecognized token
            [{"zone":"node--1","amount":{"cpu":"1"}}]      | zone 'node--1' is not node-<id>
            [{"amount":{"cpu":"1"}}]                       | zone '' is not node-<id>
            [{"zone":"node-0","amount":{"cpu":"many"}}]    | resource cpu: not a quantity: text='many'
            [{"zone":"node-0","amount":{"cpu":{}}}]        | the amount of cpu is no quantity
            [{"zone":"node-0","amount":{"cpu":"-1"}}]      | the amount of cpu is negative
            """)
    void saysWhatIsWrong(String text, String why) {
        assertThatThrownBy(() -> ObservedPlacementText.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed placement record: " + why)
                .hasMessageEndingWith("; text='" + text + "'");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            [{"zone":"node-0","amount":{"cpu":"9"}}]
            []
            """)
    void refusesTextsThatNoExporterWrites(String text) {
        assertThatThrownBy(() -> ObservedPlacementText.read(text + " ".repeat(128 << 10)))
                .hasMessageStartingWith("malformed placement record: it has %d characters; expected at most 131072; "
                        .formatted((128 << 10) + text.length()));
    }

    @Test
    void refusesAmountsWithMoreDigitsThanAreQuicklyRead() {
        String digits = "9".repeat(100_000);

        assertThatThrownBy(() -> ObservedPlacementText.read(
                        "[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"%s\"}}]".formatted(digits)))
                .hasMessageContaining("not a quantity")
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(1000));
    }

    @Test
    void readsASumBeyondTheRangeAsTheLargestAmount() {
        assertThat(ObservedPlacementText.read(
                                "[{\"zone\":\"node-0\",\"amount\":{\"x\":\"9E\"}},{\"zone\":\"node-0\",\"amount\":{\"x\":\"9E\"}}]")
                        .on(0)
                        .get("x"))
                .isEqualTo(Long.MAX_VALUE);
    }
}
