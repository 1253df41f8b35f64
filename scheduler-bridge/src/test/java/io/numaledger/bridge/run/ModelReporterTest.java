package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.server.Requests;
import io.numaledger.bridge.snapshot.NodeModel;
import io.numaledger.bridge.snapshot.Unmodelled;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class ModelReporterTest {

    private final BridgeMetrics metrics = new BridgeMetrics();
    private final ModelReporter reporter = new ModelReporter(metrics);

    private List<String> served() {
        String text = new String(metrics.scrape(Requests.of("GET", "", "")).body(), StandardCharsets.UTF_8);
        return text.lines()
                .filter(line -> line.startsWith("numaledger_bridge_unmodelled_node{"))
                .toList();
    }

    @Test
    void countsEachNodeWhileItHasNoModel() {
        TreeMap<String, NodeModel> models = new TreeMap<>();
        models.put("a", NodeModel.unknown(Unmodelled.Kind.NO_ZONES, "no zones are published"));
        models.put("b", NodeModel.unknown(Unmodelled.Kind.UNREADABLE, "cannot be read"));
        reporter.report(models);
        assertThat(served())
                .containsExactlyInAnyOrder(
                        "numaledger_bridge_unmodelled_node{node=\"a\",reason=\"no-zones\"} 1.0",
                        "numaledger_bridge_unmodelled_node{node=\"b\",reason=\"unreadable\"} 1.0");

        models.remove("a");
        reporter.report(models);
        assertThat(served()).containsExactly("numaledger_bridge_unmodelled_node{node=\"b\",reason=\"unreadable\"} 1.0");
    }
}
