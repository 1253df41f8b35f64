package io.numaledger.agent.probe;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class TopologyTableTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0.0 GiB",
        "53687091, 0.0 GiB",
        "53687092, 0.1 GiB",
        "1073741823, 1.0 GiB",
        "33269227520, 31.0 GiB",
        "9223372036854775807, 8589934592.0 GiB"
    })
    void roundsMemoryToATenthOfAGibibyte(long bytes, String text) {
        assertThat(TopologyTable.gib(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"65536, 64Ki", "2097152, 2Mi", "536870912, 512Mi", "1073741824, 1Gi", "17179869184, 16Gi"})
    void namesPageSizesAsKubernetesDoes(long bytes, String text) {
        assertThat(TopologyTable.pageSize(bytes)).isEqualTo(text);
    }
}
