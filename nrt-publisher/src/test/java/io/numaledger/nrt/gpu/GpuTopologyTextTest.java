package io.numaledger.nrt.gpu;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkKind;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;
import io.numaledger.gpu.PcieLevels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class GpuTopologyTextTest {

    @Test
    void writesWhatIsKnownInOneLine() {
        GpuTopology pair = new GpuTopology(
                List.of(gpu(0, true), gpu(1, false)),
                LinkKind.DIRECT,
                LinkMatrix.of(new int[][] {{0, 4}, {4, 0}}),
                PcieLevels.of(2, (row, column) -> Optional.of(PcieLevel.SYS)),
                Optional.of("cluster.7"));
        assertThat(GpuTopologyText.write(pair))
                .isEqualTo("{\"v\":1,\"kind\":\"direct\",\"gpus\":["
                        + "{\"uuid\":\"GPU-00000000-0000-0000-0000-000000000000\",\"bus\":\"0000:10:00.0\",\"minor\":0,\"numa\":0},"
                        + "{\"uuid\":\"GPU-00000000-0000-0000-0000-000000000001\",\"bus\":\"0000:11:00.0\",\"minor\":1,\"numa\":1,\"missing\":true}],"
                        + "\"links\":4,\"pcie\":\"S\",\"clique\":\"cluster.7\"}");
    }

    @ParameterizedTest(name = "{0} GPUs")
    @ValueSource(ints = {0, 1, 2, 3, 8, 72})
    void readsBackWhatItWrites(int size) {
        GpuTopology machine = machine(size, 5);
        assertThat(GpuTopologyText.read(GpuTopologyText.write(machine))).isEqualTo(machine);
    }

    @Test
    void alikePairsAreOneNumber() {
        assertThat(GpuTopologyText.write(machine(8, 1))).contains("\"links\":0,");
        assertThat(GpuTopologyText.write(machine(3, 5))).contains("\"links\":[1,2,3],");
    }

    @Test
    void seventyTwoGpusStayFarBelowTheLimitOfAnAnnotation() {
        assertThat(GpuTopologyText.write(machine(72, 40)).length())
                .isBetween(10_000, 20_000)
                .isLessThan(GpuTopologyText.MAX_BYTES);
    }

    @Test
    void passesOverFieldsOfLaterAgents() {
        assertThat(GpuTopologyText.read(
                                "{\"v\":1,\"new\":{\"a\":[1]},\"gpus\":[{\"new\":[2]}],\"links\":[],\"pcie\":\"\"}")
                        .gpus())
                .hasSize(1);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no JSON        | {"v":1                                    | it is no JSON
            no object      | 7                                         | it is no object
            a later form   | {"v":2,"gpus":[],"links":0,"pcie":""}     | its version is not 1
            pairs missing  | {"v":1,"gpus":[{},{}],"links":[],"pcie":"S"} | field=links has 0 pairs, expected 1
            levels missing | {"v":1,"gpus":[{},{}],"links":2,"pcie":""}   | field=pcie has 0 pairs, expected 1
            no levels      | {"v":1,"gpus":[{},{}],"links":2}             | field=pcie is missing, expected 1 pairs
            no links       | {"v":1,"gpus":[{},{}],"pcie":"S"}           | field=links is missing, expected 1 pairs
            no GPUs        | {"v":1,"links":2,"pcie":"S"}              | field=gpus is missing
            a bad address  | {"v":1,"gpus":[{"bus":"x"}]}              | not a PCI address: text='x'; expected domain:bus:device.function such as 0000:3b:00.0
            """)
    void saysWhatCannotBeUsed(String situation, String text, String why) {
        assertThatThrownBy(() -> GpuTopologyText.read(text))
                .hasMessage(
                        "cannot use a GPU topology: annotation=numaledger.io/gpu-topology: %s; the agent of that node writes it anew",
                        why);
    }

    static Stream<Arguments> bombs() {
        String gpus = "{\"v\":1,\"gpus\":[%s],\"links\":1,\"pcie\":\"%s\"}";
        String many = String.join(",", Collections.nCopies(65_537, "{}"));
        String few = String.join(",", Collections.nCopies(3, "{}"));
        return Stream.of(
                arguments(
                        "so many GPUs that their pairs do not fit an int",
                        gpus.formatted(many, "?".repeat(32_768)),
                        "characters"),
                arguments("4 MiB", " ".repeat(4 << 20) + gpus.formatted(few, "???"), "characters"),
                arguments(
                        "129 GPUs",
                        gpus.formatted(String.join(",", Collections.nCopies(129, "{}")), "?".repeat(8256)),
                        "it has more than 128 GPUs"),
                arguments("too few pairs", gpus.formatted(few, "??"), "field=pcie has 2 pairs, expected 3"),
                arguments(
                        "more links than a pair has",
                        gpus.formatted(few, "???").replace(":1,\"p", ":256,\"p"),
                        "0-255 links"),
                arguments("fewer than none", gpus.formatted(few, "???").replace(":1,\"p", ":-1,\"p"), "0-255 links"),
                arguments(
                        "both halves of a matrix, which may differ",
                        gpus.formatted(few, "???").replace(":1,\"p", ":[0,1,2,1,0,3,9,3,0],\"p"),
                        "field=links has 9 pairs, expected 3"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("bombs")
    void refusesWhatNoMachineHas(String situation, String text, String why) {
        assertThatThrownBy(() -> GpuTopologyText.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(500));
    }

    @Test
    void reads100Gpus() {
        String gpus = String.join(",", Collections.nCopies(100, "{}"));

        assertThat(GpuTopologyText.read(
                                "{\"v\":1,\"gpus\":[%s],\"links\":1,\"pcie\":\"%s\"}".formatted(gpus, "?".repeat(4950)))
                        .gpus())
                .hasSize(100);
    }

    /** The links of pair (i, j) are (i + j) modulo a number, 1 meaning none at all. */
    private static GpuTopology machine(int size, int modulo) {
        int[][] counts = new int[size][size];
        for (int row = 0; row < size; row++) {
            for (int column = 0; column < size; column++) {
                counts[row][column] = row == column ? 0 : (row + column) % modulo;
            }
        }
        List<PcieLevel> levels = List.of(PcieLevel.values());
        return new GpuTopology(
                IntStream.range(0, size).mapToObj(index -> gpu(index, true)).toList(),
                LinkKind.SWITCH,
                LinkMatrix.of(counts),
                PcieLevels.of(
                        size,
                        (row, column) -> (row + column) % 6 == 5
                                ? Optional.empty()
                                : Optional.of(levels.get((row + column) % 6))),
                Optional.empty());
    }

    private static Gpu gpu(int index, boolean linksKnown) {
        return new Gpu(
                Optional.of("GPU-00000000-0000-0000-0000-%012d".formatted(index)),
                Optional.of(new PciAddress(0, 0x10 + index, 0, 0)),
                OptionalInt.of(index),
                OptionalInt.empty(),
                OptionalInt.of(index % 4),
                OptionalInt.empty(),
                linksKnown);
    }
}
