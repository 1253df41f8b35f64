package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** StrandedCapacities as the table that kubectl prints, all pools together. */
public final class StrandedTable {

    private StrandedTable() {}

    /** @param capacities as {@link StrandedJson} writes them */
    public static ObjectNode of(List<? extends JsonNode> capacities) {
        ApiTable table = new ApiTable();
        table.nameColumn("Reference", "Name of the reference pod.");
        table.column("Nodes", 0, "Nodes that have its devices.");
        table.column("By sums", 0, "How many more have room by the requests and allocatable amounts of whole nodes.");
        table.column("By zones", 0, "How many of them the nodes' kubelets would admit.");
        table.column("Stranded", 0, "The difference.");
        table.column("For lack of", 0, "What the next pod lacks, the most frequent first.");
        capacities.forEach(each -> table.row(each.path("reference").asText(), cells(each)));
        return table.json();
    }

    private static List<String> cells(JsonNode capacity) {
        long nodes = 0;
        Map<String, Long> reasons = new TreeMap<>();
        for (JsonNode pool : capacity.path("pools")) {
            nodes += pool.path("nodes").asLong();
            pool.path("reasons")
                    .properties()
                    .forEach(
                            each -> reasons.merge(each.getKey(), each.getValue().asLong(), Long::sum));
        }
        return List.of(
                capacity.path("reference").asText(),
                Long.toString(nodes),
                capacity.path("bySums").asText(),
                capacity.path("byZones").asText(),
                capacity.path("stranded").asText(),
                reasons(reasons));
    }

    /** The most first, such as {@code cpu 20, memory 3}. */
    public static String reasons(Map<String, Long> reasons) {
        return reasons.isEmpty()
                ? "-"
                : reasons.entrySet().stream()
                        .sorted(Comparator.comparingLong((Map.Entry<String, Long> each) -> -each.getValue())
                                .thenComparing(Map.Entry::getKey))
                        .map(each -> each.getKey() + " " + each.getValue())
                        .collect(Collectors.joining(", "));
    }
}
