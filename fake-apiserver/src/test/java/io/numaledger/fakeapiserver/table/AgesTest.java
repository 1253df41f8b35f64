package io.numaledger.fakeapiserver.table;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

import static org.assertj.core.api.Assertions.assertThat;

class AgesTest {

    @ParameterizedTest
    @CsvSource({
        "PT-5S, 0s",
        "PT119S, 119s",
        "PT2M, 2m",
        "PT9M59S, 9m59s",
        "PT10M1S, 10m",
        "PT3H5M, 3h5m",
        "PT9H5M, 9h",
        "P3DT4H, 3d4h",
        "P9D, 9d",
        "P800D, 2y70d",
        "P3000D, 8y"
    })
    void readsAsInKubectl(Duration age, String text) {
        assertThat(Ages.human(age)).isEqualTo(text);
    }
}
