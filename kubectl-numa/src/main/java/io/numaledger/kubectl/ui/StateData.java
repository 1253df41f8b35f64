package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;

/** {@code /data/state}: which cluster the page shows, when it was read, and why that may be outdated. */
final class StateData implements DataSource {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final ShownCluster cluster;
    private final String name;
    private final Optional<Instant> dumped;

    /**
     * The state of what is shown.
     *
     * @param name of the cluster, for people
     * @param dumped when a dump was made; absent: it is a cluster
     */
    StateData(ShownCluster cluster, String name, Optional<Instant> dumped) {
        this.cluster = cluster;
        this.name = name;
        this.dumped = dumped;
    }

    @Override
    public JsonNode read(String path, Map<String, String> query) throws IOException {
        ObjectNode json = JSON.createObjectNode().put("name", name).put("dump", dumped.isPresent());
        dumped.or(cluster::readAt)
                .ifPresent(
                        at -> json.put("at", at.truncatedTo(ChronoUnit.SECONDS).toString()));
        cluster.problem().ifPresent(why -> json.put("problem", why));
        return json;
    }
}
