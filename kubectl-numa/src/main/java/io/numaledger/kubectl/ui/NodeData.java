package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.client.UnknownNameException;

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
        List<String> names = names();
        return cluster.zones().node(path).orElseThrow(() -> UnknownNameException.node(path, names));
    }

    @Override
    public List<String> inReport() throws IOException {
        List<String> names = names();
        return names.subList(0, Math.min(names.size(), MOST_IN_REPORT));
    }

    private List<String> names() throws IOException {
        return cluster.nodes().statuses().stream()
                .map(node -> node.path("node").asText())
                .toList();
    }
}
