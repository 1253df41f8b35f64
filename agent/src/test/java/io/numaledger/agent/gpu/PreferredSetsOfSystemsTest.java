package io.numaledger.agent.gpu;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PreferredSets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

/** The preference against the results of go-gpuallocator's own tests. */
class PreferredSetsOfSystemsTest {

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"dgx1-v100", "rtx8000-4-pairs"})
    void hasEachSetOfASequenceOfAllocations(String system) {
        Path file = DescribedSystems.file(system);
        GpuTopology machine = GpuSystemFile.read(file).topology();
        JsonNode sequences = DescribedSystems.json(file).at("/go_gpuallocator/sequential_allocation");
        assertThat(sequences.size()).isPositive();
        sequences.properties().forEach(sequence -> {
            GpuSet free = machine.all();
            for (JsonNode result : sequence.getValue()) {
                assertThat(PreferredSets.of(machine, free, Integer.parseInt(sequence.getKey())))
                        .hasValueSatisfying(
                                sets -> assertThat(sets).as(sequence.toString()).contains(set(result)));
                free = free.minus(set(result));
            }
        });
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = "dgx1-v100")
    void hasTheSetOfEachCase(String system) {
        Path file = DescribedSystems.file(system);
        GpuTopology machine = GpuSystemFile.read(file).topology();
        JsonNode cases = DescribedSystems.json(file).at("/go_gpuallocator/cases");
        assertThat(cases.size()).isPositive();
        for (JsonNode each : cases) {
            if (each.path("required").isEmpty()) {
                assertThat(PreferredSets.of(
                                machine,
                                set(each.path("available")),
                                each.path("size").intValue()))
                        .hasValueSatisfying(
                                sets -> assertThat(sets).as(each.toString()).containsExactly(set(each.path("result"))));
            }
        }
    }

    private static GpuSet set(JsonNode gpus) {
        GpuSet set = GpuSet.NONE;
        for (JsonNode gpu : gpus) {
            set = set.with(gpu.intValue());
        }
        return set;
    }
}
