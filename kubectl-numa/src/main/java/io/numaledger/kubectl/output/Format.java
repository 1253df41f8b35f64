package io.numaledger.kubectl.output;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Colours;
import io.numaledger.cli.TextTable;
import picocli.CommandLine.Option;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** How a view is printed. */
public final class Format {

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE})")
    private OutputFormat format = OutputFormat.table;

    public boolean isWide() {
        return format == OutputFormat.wide;
    }

    public boolean isTable() {
        return format.isTable();
    }

    /** One document, or line, for each row, or the table of all. */
    public String text(
            List<? extends JsonNode> rows, Function<List<? extends JsonNode>, TextTable> table, Colours colours) {
        return format.isTable() ? table.apply(rows).print(colours).stripTrailing() : text(rows, JsonNode::toString);
    }

    /** @param block a row for people */
    public String text(List<? extends JsonNode> rows, Function<JsonNode, String> block) {
        return rows.stream().map(row -> format.text(row, block)).collect(Collectors.joining(System.lineSeparator()));
    }
}
