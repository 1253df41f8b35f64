package io.numaledger.agent.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.LinkedSet;
import io.numaledger.gpu.LinkedSetSearch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class GpuSystemFileTest {

    @TempDir
    private Path directory;

    static List<Path> systems() {
        return DescribedSystems.files();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("systems")
    void theSearchFindsTheBestTotalsThatBruteForceFound(Path file) {
        GpuSystem system = GpuSystemFile.read(file);
        LinkedSetSearch search = new LinkedSetSearch(system.topology());
        JsonNode bySize = DescribedSystems.json(file).path("answers").path("by_size");
        assertThat(bySize.size()).isEqualTo(system.topology().gpus().size() - 1);
        bySize.fieldNames().forEachRemaining(size -> {
            LinkedSet found =
                    search.best(Integer.parseInt(size), system.topology().all()).orElseThrow();
            assertThat(found.links())
                    .as("size=%s found=%s", size, found)
                    .isEqualTo(bySize.path(size).path("max_total_links").asLong());
            assertThat(found.links()).isEqualTo(system.topology().links().total(found.gpus()));
            assertThat(found.gpus().size()).isEqualTo(Integer.parseInt(size));
        });
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("systems")
    void theLargestCliqueIsTheOneThatBruteForceFound(Path file) {
        GpuSystem system = GpuSystemFile.read(file);
        JsonNode answers = DescribedSystems.json(file).path("answers");
        GpuSet clique = new LinkedSetSearch(system.topology())
                .largestClique(system.topology().all());
        assertThat(clique.size()).isEqualTo(answers.path("max_clique_size").asInt());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("systems")
    void readsBackWhatItWrites(Path file) throws IOException {
        GpuSystem system = GpuSystemFile.read(file);
        Path copy = Files.writeString(directory.resolve("copy.json"), GpuSystemJson.write(system));
        assertThat(GpuSystemFile.read(copy)).isEqualTo(system);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("systems")
    void writesTheCellsThatNvidiaSmiPrints(Path file) throws IOException {
        JsonNode described = DescribedSystems.json(file);
        Path copy = Files.writeString(directory.resolve("copy.json"), GpuSystemJson.write(GpuSystemFile.read(file)));
        JsonNode written = DescribedSystems.json(copy);
        assertThat(written.path("nvlinks")).isEqualTo(described.path("nvlinks"));
        if (described.has("topo_cells")) {
            assertThat(written.path("topo_cells")).isEqualTo(described.path("topo_cells"));
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no list of GPUs  | {}                               | field=gpus is no list
            not JSON         | {"gpus":                         | it is no JSON: Unexpected end-of-input within/between Object entries
            rows missing     | {"gpus":[{}],"nvlinks":[]}       | a topology has one row per GPU, 128 at most: gpus=1 nvlinks=0 pcie=1; correct the rows
            a cell of text   | {"gpus":[{}],"nvlinks":[["NV"]]} | field=nvlinks has a cell that is no number: "NV"
            indexes out of order | {"gpus":[{"index":1}],"nvlinks":[[0]]} | field=gpus is to be in order of index: place=0 {"index":1}
            """)
    void saysWhatCannotBeUsed(String situation, String text, String why) throws IOException {
        Path file = Files.writeString(directory.resolve("broken.json"), text);
        assertThatThrownBy(() -> GpuSystemFile.read(file))
                .hasMessage("cannot use a described system: file=%s: %s; write one with agent probe --gpus -o json"
                        .formatted(file, why));
    }

    @Test
    void namesTheFileThatIsNotThere() {
        Path file = directory.resolve("absent.json");
        assertThatThrownBy(() -> GpuSystemFile.read(file))
                .hasMessageStartingWith("cannot use a described system: file=%s: ".formatted(file))
                .hasMessageEndingWith("; write one with agent probe --gpus -o json");
    }
}
