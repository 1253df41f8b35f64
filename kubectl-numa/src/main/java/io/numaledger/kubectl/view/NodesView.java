package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.view.NumaNodeTable;
import io.numaledger.cli.TextTable;
import io.numaledger.kubectl.client.Surroundings;
import io.numaledger.kubectl.output.Format;
import io.numaledger.kubectl.output.Result;
import io.numaledger.kubectl.output.Watch;
import io.numaledger.kubectl.zones.ClusterSource;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/** {@code kubectl numa nodes}: one line for each node. */
@Command(
        name = "nodes",
        description = "Shows what is free in each zone of each node, and how certain that is.",
        exitCodeOnExecutionException = 2,
        mixinStandardHelpOptions = true)
public final class NodesView implements Callable<Integer> {

    private final Surroundings surroundings;

    @Mixin
    private final ClusterSource cluster;

    @Mixin
    private final Format format = new Format();

    @Mixin
    private final Watch watch = new Watch();

    public NodesView(Surroundings surroundings) {
        this.surroundings = surroundings;
        this.cluster = new ClusterSource(surroundings.kubectl());
    }

    @Override
    public Integer call() throws IOException {
        return watch.run(
                () -> new Result(format.text(cluster.zones().nodes(), this::table, surroundings.colours()), 0),
                surroundings.colours());
    }

    /** The table that {@code kubectl get numanodes} prints. */
    private TextTable table(List<? extends JsonNode> nodes) {
        JsonNode table = NumaNodeTable.of(nodes);
        List<String> header = new ArrayList<>();
        List<Integer> columns = new ArrayList<>();
        for (JsonNode column : table.path("columnDefinitions")) {
            if (format.isWide() || column.path("priority").asInt() == 0) {
                columns.add(header.size());
                header.add(column.path("name").asText().toUpperCase(Locale.ROOT));
            }
        }
        TextTable text = new TextTable(header);
        for (JsonNode row : table.path("rows")) {
            text.row(columns.stream()
                    .map(column -> row.path("cells").path(column).asText())
                    .toList());
        }
        return text;
    }
}
