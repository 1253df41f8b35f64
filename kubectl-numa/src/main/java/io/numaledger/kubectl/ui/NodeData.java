package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.util.List;
import java.util.Map;

/** {@code /data/node/NAME}: one node with the places of its CPUs, memory and devices, and which of them each pod holds. */
final class NodeData implements DataSource {

    /** Details of a node are some kilobytes. */
    private static final int MOST_IN_REPORT = 200;

    private final ShownCluster cluster;

    NodeData(ShownCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) throws IOException {
        return cluster.zones()
                .node(path)
                .orElseThrow(() -> new IOException(
                        "the cluster has no such node: node=%s; select one of the fleet".formatted(path)));
    }

    @Override
    public List<String> inReport() throws IOException {
        return cluster.nodes().statuses().stream()
                .limit(MOST_IN_REPORT)
                .map(node -> node.path("node").asText())
                .toList();
    }
}
