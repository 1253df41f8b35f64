package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** {@code /data/nodes}: all nodes, with what is free in each of their zones. */
final class FleetData implements DataSource {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ShownCluster cluster;
    private Optional<Written> last = Optional.empty();

    private record Written(ShownCluster.Nodes nodes, ObjectNode fleet) {}

    FleetData(ShownCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public synchronized JsonNode read(String path, Map<String, String> query) throws IOException {
        ShownCluster.Nodes nodes = cluster.nodes();
        Written written = last.filter(each -> each.nodes().equals(nodes))
                .orElseGet(() -> new Written(nodes, FleetJson.of(nodes)));
        last = Optional.of(written);
        Optional<String> failure = cluster.problem();
        return failure.isPresent()
                ? JSON.createObjectNode().put("unread", failure.get()).setAll(written.fleet())
                : written.fleet();
    }
}
