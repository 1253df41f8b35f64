package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.scheduling.stranded.StrandedReason;
import io.numaledger.scheduling.stranded.StrandedReport;
import io.numaledger.scheduling.stranded.StrandedReport.Row;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;

class StrandedTableTest {

    private static Row row(String pool, long bySums, Map<StrandedReason, Long> reasons) {
        return new Row("gpu-4", pool, new TreeSet<>(List.of("cpu=1")), 2, 1, bySums, new TreeMap<>(reasons));
    }

    @Test
    void addsThePoolsOfAReferencePod() {
        StrandedReport report = new StrandedReport(
                List.of(
                        row("a", 4, Map.of(StrandedReason.DEVICE, 2L, StrandedReason.CPU, 1L)),
                        row("b", 2, Map.of(StrandedReason.DEVICE, 1L))),
                4,
                0,
                0,
                true);

        JsonNode table = StrandedTable.of(StrandedJson.of(report));

        assertThat(table.path("kind").asText()).isEqualTo("Table");
        assertThat(table.path("columnDefinitions")).hasSize(6);
        assertThat(table.at("/rows/0/cells"))
                .extracting(JsonNode::asText)
                .containsExactly("gpu-4", "4", "6", "2", "4", "device 3, cpu 1");
        assertThat(table.at("/rows/0/object/metadata/name").asText()).isEqualTo("gpu-4");
    }
}
