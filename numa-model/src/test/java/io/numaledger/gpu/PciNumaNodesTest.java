package io.numaledger.gpu;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class PciNumaNodesTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            none                | ''                                            | ''
            one                 | 0000:3b:00.0=1                                | 0000:3b:00.0=1
            one run             | 0000:3b:00.0=1 0000:3b:00.1=1 0000:5e:00.0=1  | 0000:3b:00.0-0000:5e:00.0=1
            two sockets         | 0000:3b:00.0=0 0000:80:00.0=1 0001:00:00.0=1  | 0000:3b:00.0=0,0000:80:00.0-0001:00:00.0=1
            unknown in between  | 0000:3b:00.0=1 0000:3c:00.0=  0000:3d:00.0=1  | 0000:3b:00.0=1,0000:3d:00.0=1
            nothing known       | 0000:3b:00.0=                                 | ''
            """)
    void writesRunsOfEqualNumaNodes(String situation, String functions, String text) {
        assertThat(PciNumaNodes.of(functions(functions))).hasToString(text);
    }

    private static SortedMap<PciAddress, OptionalInt> functions(String text) {
        SortedMap<PciAddress, OptionalInt> functions = new TreeMap<>();
        Stream.of(text.split(" +")).filter(each -> !each.isEmpty()).forEach(each -> {
            String[] parts = each.split("=", 2);
            functions.put(
                    PciAddress.parse(parts[0]),
                    parts[1].isEmpty() ? OptionalInt.empty() : OptionalInt.of(Integer.parseInt(parts[1])));
        });
        return functions;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void knowsWhatItWasMadeOfAfterTheText(long seed) {
        Random random = new Random(seed);
        SortedMap<PciAddress, OptionalInt> functions = new TreeMap<>();
        for (int i = 0; i < 2000; i++) {
            functions.put(
                    new PciAddress(random.nextInt(2), random.nextInt(8), random.nextInt(32), random.nextInt(8)),
                    OptionalInt.empty());
        }
        functions.replaceAll((address, unknown) ->
                random.nextInt(50) == 0 ? unknown : OptionalInt.of(address.bus() / 4 + (int) address.domain()));

        PciNumaNodes read = PciNumaNodes.parse(PciNumaNodes.of(functions).toString());

        assertThat(read.runs()).hasSizeLessThan(100);
        functions.forEach((address, numaNode) -> assertThat(read.of(address))
                .isEqualTo(numaNode.isPresent() ? Optional.of(numaNode.getAsInt()) : Optional.empty()));
    }

    @Test
    void anAddressOutsideOfTheRunsIsNotKnown() {
        PciNumaNodes nodes = PciNumaNodes.parse("0000:3b:00.0-0000:3b:1f.7=0,0000:80:00.0=1");

        assertThat(List.of("0000:3b:02.1", "0000:80:00.0"))
                .allMatch(text -> nodes.of(PciAddress.parse(text)).isPresent());
        assertThat(List.of("0000:3c:00.0", "0000:80:00.1", "0001:3b:02.1"))
                .allMatch(text -> nodes.of(PciAddress.parse(text)).isEmpty());
    }

    @Test
    void leavesOutWhatIsTooMuch() {
        SortedMap<PciAddress, OptionalInt> functions = new TreeMap<>();
        for (int at = 0; at < 2 * PciNumaNodes.MAX_RUNS; at++) {
            functions.put(new PciAddress(0, at / 256, at % 256 / 8, at % 8), OptionalInt.of(at % 2));
        }

        PciNumaNodes nodes = PciNumaNodes.of(functions);

        assertThat(nodes.runs()).hasSize(PciNumaNodes.MAX_RUNS);
        assertThat(PciNumaNodes.parse(nodes.toString())).isEqualTo(nodes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "0000:3b:00.0",
                "0000:3b:00.0=-1",
                "0000:3b:00.0=1024",
                "0000:3b:40.0=1",
                "=1",
                "0000:3b:00.0=1,"
            })
    void refusesAnyOtherText(String text) {
        assertThatThrownBy(() -> PciNumaNodes.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void refusesATextOfTooManyRuns() {
        String text = String.join(",", Collections.nCopies(PciNumaNodes.MAX_RUNS + 1, "0000:3b:00.0=1"));

        assertThatThrownBy(() -> PciNumaNodes.parse(text)).hasMessageStartingWith("these are no NUMA nodes");
        assertThatThrownBy(() -> PciNumaNodes.parse("0".repeat(1 << 20)))
                .hasMessageStartingWith("these are no NUMA nodes");
    }
}
