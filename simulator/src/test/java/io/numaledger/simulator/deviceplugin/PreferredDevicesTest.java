package io.numaledger.simulator.deviceplugin;

import io.numaledger.placement.DeviceAllocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;

class PreferredDevicesTest {

    /** a, b, c on NUMA node 0; d, e on 1; f on both; g nowhere. */
    private static final PreferredDevices DEVICES = new PreferredDevices(List.of(
            device("a", 0),
            device("b", 0),
            device("c", 0),
            device("d", 1),
            device("e", 1),
            device("f", 0, 1),
            device("g")));

    private static DeviceAllocation device(String id, Integer... numaNodes) {
        return new DeviceAllocation("nvidia.com/gpu", id, List.of(numaNodes));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', emptyValue = "", textBlock = """
            the smallest place that is large enough | a b c d e     | ''  | 2 | d e
            the only place that is large enough     | a b c d e     | ''  | 3 | a b c
            whole places from the largest down      | a b c d e     | ''  | 4 | a b c d
            what must be in comes first             | a b c d e     | d   | 2 | d e
            lower ids of a place                    | c b a         | ''  | 2 | a b
            devices of two places and of none       | f g           | ''  | 2 | f g
            no more than there are                  | a             | ''  | 3 | a
            """)
    void choosesDevicesThatLieTogether(
            String situation, String available, String mustInclude, int size, String chosen) {
        assertThat(DEVICES.choose(List.of(available.split(" ")), words(mustInclude), size))
                .containsExactlyInAnyOrderElementsOf(words(chosen));
    }

    private static List<String> words(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split(" "));
    }
}
