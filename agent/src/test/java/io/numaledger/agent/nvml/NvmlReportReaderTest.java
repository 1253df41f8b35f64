package io.numaledger.agent.nvml;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class NvmlReportReaderTest {

    private static final String GPU = "gpu\t0\tGPU-a\t\t\t\t\t\t\t\t\t\t";

    private final NvmlReportReader reader = new NvmlReportReader();

    private void read(Stream<String> lines) {
        lines.forEach(reader::read);
    }

    @Test
    void controlCharactersOfTheDriverAreEscaped() {
        NvmlReport report = new NvmlReport(Optional.of("5\t7\n0"), List.of(), List.of("a\u001b[2Jb"));
        read(NvmlReportText.of(report).lines());
        assertThat(reader.ended()).isTrue();
        assertThat(reader.report())
                .isEqualTo(new NvmlReport(Optional.of("5\\u00097\\u000a0"), List.of(), List.of("a\\u001b[2Jb")));
    }

    @Test
    void otherLinesAreNoPartOfAReport() {
        assertThat(reader.read(GPU)).as("before the report").isFalse();
        assertThat(reader.read("nvml-report\t570")).isTrue();
        assertThat(reader.read("NVRM: something")).isFalse();
        assertThat(reader.read("")).isFalse();
        assertThat(reader.read("nvml-end")).isTrue();
        assertThat(reader.report()).isEqualTo(new NvmlReport(Optional.of("570"), List.of(), List.of()));
    }

    @ParameterizedTest(name = "more than {1} lines of {0}")
    @CsvSource(delimiter = '|', textBlock = """
            gpu     | 128 | gpu,%d,,,,,,,,,,,
            link    | 64  | link,%d,ACTIVE,,,GPU
            mig     | 64  | mig,MIG-%d,,,
            pair    | 128 | pair,%d,,
            warning | 512 | warning,%d
            """)
    void refusesMoreThanAnyMachineHas(String kind, int limit, String line) {
        read(Stream.of("nvml-report\t570", GPU.replace("gpu", kind.equals("gpu") ? "other" : "gpu")));
        read(IntStream.range(0, limit).mapToObj(i -> line.replace(',', '\t').formatted(i)));
        assertThatThrownBy(() -> reader.read(line.replace(',', '\t').formatted(limit)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("more than %d lines of %s".formatted(limit, kind));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            too few fields  | link,0,ACTIVE
            no number       | gpu,x,,,,,,,,,,,
            too large       | pair,99999999999,,
            unknown state   | link,0,BUSY,,,GPU
            no address      | gpu,0,,,here,,,,,,,,
            """)
    void refusesAFieldThatCannotBeRead(String situation, String line) {
        read(Stream.of("nvml-report\t570"));
        assertThatThrownBy(() -> {
                    reader.read(line.replace(',', '\t'));
                    reader.read("nvml-end");
                })
                .isInstanceOf(IllegalArgumentException.class);
    }
}
