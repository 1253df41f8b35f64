package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.view.StrandedTable;
import io.numaledger.cli.Colours;
import io.numaledger.cli.TextTable;
import io.numaledger.text.ControlCharacters;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/** Stranded capacity for people: a table, what strands most, and the moves that would make room. */
final class StrandedText {

    private static final int MOST_NODES = 5;

    private StrandedText() {}

    /** @param capacities as {@link io.numaledger.apiobjects.view.StrandedJson} writes them; those with nodes are told in full */
    static String of(List<JsonNode> capacities, boolean wide, Colours colours) {
        if (capacities.isEmpty()) {
            return "no node was counted yet, or none has known zones; see kubectl numa nodes";
        }
        List<String> blocks = new ArrayList<>();
        blocks.add(table(capacities, wide).print(colours).stripTrailing());
        capacities.stream()
                .filter(each -> each.path("stranded").asLong() > 0 && each.has("nodes"))
                .map(StrandedText::detail)
                .forEach(blocks::add);
        String left = leftOut(capacities.get(0));
        if (!left.isEmpty()) {
            blocks.add(left);
        }
        return String.join("\n\n", blocks);
    }

    private static TextTable table(List<JsonNode> capacities, boolean wide) {
        List<String> header = new ArrayList<>(
                List.of("REFERENCE", "POOL", "NODES", "BY SUMS", "BY ZONES", "STRANDED", "FOR LACK OF"));
        if (wide) {
            header.add("REQUESTS");
        }
        TextTable table = new TextTable(header);
        for (JsonNode capacity : capacities) {
            for (JsonNode pool : capacity.path("pools")) {
                List<String> cells =
                        new ArrayList<>(List.of(capacity.path("reference").asText(), name(pool.path("pool"))));
                for (String number : List.of("nodes", "bySums", "byZones", "stranded")) {
                    cells.add(pool.path(number).asText());
                }
                cells.add(reasons(pool.path("reasons")));
                if (wide) {
                    cells.add(texts(pool.path("sizes")));
                }
                table.row(cells);
            }
        }
        return table;
    }

    private static String name(JsonNode pool) {
        return pool.asText().isEmpty() ? "-" : pool.asText();
    }

    private static String reasons(JsonNode reasons) {
        return StrandedTable.reasons(reasons.properties().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, each -> each.getValue().asLong())));
    }

    private static String texts(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(JsonNode::asText)
                .collect(Collectors.joining("; "));
    }

    private static String detail(JsonNode capacity) {
        List<String> lines = new ArrayList<>();
        lines.add("%s: room for %s more by the sums of nodes, %s run"
                .formatted(
                        capacity.path("reference").asText(),
                        capacity.path("bySums").asText(),
                        capacity.path("byZones").asText()));
        StreamSupport.stream(capacity.path("nodes").spliterator(), false)
                .limit(MOST_NODES)
                .map(node -> "  %s strands %s for lack of %s"
                        .formatted(
                                node.path("node").asText(),
                                node.path("stranded").asText(),
                                node.path("reason").asText()))
                .forEach(lines::add);
        if (capacity.path("nodes").size() > MOST_NODES) {
            lines.add("  and others");
        }
        lines.addAll(moves(capacity.path("moves")));
        return lines.stream().map(ControlCharacters::escaped).collect(Collectors.joining("\n"));
    }

    private static List<String> moves(JsonNode moves) {
        if (moves.isEmpty()) {
            return List.of("no move of one or two pods of a node was found that makes room");
        }
        List<String> lines = new ArrayList<>();
        lines.add("these moves would make room; nothing is moved:");
        moves.forEach(move -> {
            String pods = StreamSupport.stream(move.path("pods").spliterator(), false)
                    .map(pod -> "%s from %s to %s"
                            .formatted(
                                    pod.path("pod").asText(),
                                    pod.path("node").asText(),
                                    pod.path("target").asText()))
                    .collect(Collectors.joining(", and "));
            lines.add("  %s: %s more".formatted(pods, move.path("frees").asText()));
        });
        return lines;
    }

    private static String leftOut(JsonNode capacity) {
        List<String> left = new ArrayList<>();
        if (capacity.path("unknownNodes").asInt() > 0) {
            left.add("%d nodes whose zones are unknown"
                    .formatted(capacity.path("unknownNodes").asInt()));
        }
        if (capacity.path("closedNodes").asInt() > 0) {
            left.add("%d nodes that are cordoned or not ready"
                    .formatted(capacity.path("closedNodes").asInt()));
        }
        if (!capacity.path("complete").asBoolean()) {
            left.add("nodes that have just changed");
        }
        return left.isEmpty() ? "" : "not counted: " + String.join(", ", left);
    }
}
