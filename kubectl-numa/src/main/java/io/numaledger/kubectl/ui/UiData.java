package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubectl.zones.ClusterSource;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** All data of the page, by the first part of its path. */
final class UiData {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final SortedMap<String, DataSource> sources;

    UiData(Map<String, DataSource> sources) {
        this.sources = new TreeMap<>(sources);
    }

    /** What zones are enough for. */
    static UiData of(ShownCluster cluster) {
        return new UiData(Map.of(
                "nodes",
                new FleetData(cluster),
                "node",
                new LastRead(new NodeData(cluster), cluster::problem),
                "state",
                new StateData(cluster, "", Optional.empty())));
    }

    /** Everything that the page can ask for: also the views that need pods as the API server has them: stranded, waiting, rehearsal and time. */
    static UiData of(ShownCluster shown, ClusterSource cluster) throws IOException {
        SortedMap<String, DataSource> all = new TreeMap<>(of(shown).sources);
        all.put("stranded", new LastRead(new StrandedData(shown), shown::problem));
        all.put("waiting", new LastRead(new WaitingData(shown, cluster), shown::problem));
        all.put("rehearsal", new RehearsalData(cluster));
        all.put("time", new LastRead(new TimeData(shown, cluster, InstantSource.system()), shown::problem));
        all.put("state", new StateData(shown, cluster.name(), cluster.dumpedAt()));
        return new UiData(all);
    }

    /** @param path such as {@code node/NAME}; empty: there is no such kind of data */
    Optional<JsonNode> read(String path, Map<String, String> query) throws IOException {
        String[] parts = path.split("/", 2);
        DataSource source = sources.get(parts[0]);
        return source == null ? Optional.empty() : Optional.of(source.read(parts.length > 1 ? parts[1] : "", query));
    }

    /** Everything that a report has, by path. */
    ObjectNode all() throws IOException {
        ObjectNode all = JSON.createObjectNode();
        for (Map.Entry<String, DataSource> source : sources.entrySet()) {
            for (String path : source.getValue().inReport()) {
                String key = path.isEmpty() ? source.getKey() : source.getKey() + "/" + path;
                all.set(key, inReport(source.getValue(), path));
            }
        }
        return all;
    }

    /** A view that cannot be read shows why, and the report has the others. */
    private static JsonNode inReport(DataSource source, String path) {
        try {
            return source.read(path, Map.of());
        } catch (IOException e) {
            return error(e);
        }
    }

    static ObjectNode error(Exception e) {
        return JSON.createObjectNode().put("error", String.valueOf(e.getMessage()));
    }
}
