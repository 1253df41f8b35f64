package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubectl.client.UnknownNameException;
import io.numaledger.kubectl.zones.Zones.StrandedSizes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code /data/stranded}: room that no pod can use, by reference pod; {@code /data/stranded/NAME}: one with its nodes and moves. */
final class StrandedData implements DataSource {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** The bridge's sizes, or the default ones where no bridge counts. */
    private static final StrandedSizes SIZES = new StrandedSizes(List.of(), "");

    private final ShownCluster cluster;

    StrandedData(ShownCluster cluster) {
        this.cluster = cluster;
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) throws IOException {
        if (!path.isEmpty()) {
            return cluster.zones()
                    .stranded(SIZES, path)
                    .orElseThrow(() -> UnknownNameException.reference(path, List.of()));
        }
        ObjectNode answer = JSON.createObjectNode();
        answer.putArray("references").addAll(cluster.zones().stranded(SIZES));
        return answer;
    }

    @Override
    public List<String> inReport() throws IOException {
        List<String> paths = new ArrayList<>(List.of(""));
        cluster.zones()
                .stranded(SIZES)
                .forEach(each -> paths.add(each.path("reference").asText()));
        return paths;
    }
}
