package io.numaledger.bridge.aggregated;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.apiobjects.view.NumaNodeTable;
import io.numaledger.bridge.aggregated.NodeResourceVersions.Change;
import io.numaledger.bridge.aggregated.NodeResourceVersions.Comparison;
import io.numaledger.bridge.aggregated.NodeResourceVersions.EventType;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.scheduling.state.ClusterState;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The events of watches of NumaNodes. What is rendered of a node is kept for other callers with the same rights. Used by one thread. */
final class NodeEvents implements Comparison {

    /** About 3 KiB each. */
    private static final int MOST_KEPT = 2_000;

    private static final ObjectMapper JSON = new ObjectMapper();

    /** @param table whether the caller wants what kubectl prints */
    record Form(PodNames names, boolean table) {}

    private record Key(PodNames names, String node) {}

    /** @param version it is at least as new */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Status(long version, byte[] json) {}

    private final ClusterState cluster;
    private final Map<Key, Status> kept = new LinkedHashMap<>(16, 0.75f, true);
    private byte[] compared = {};

    NodeEvents(ClusterState cluster) {
        this.cluster = cluster;
    }

    @Override
    public Optional<ByteBuffer> digest(NodeSnapshot node) {
        compared = rendered(node, PodNames.ALL);
        try {
            return Optional.of(
                    ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(compared)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    @Override
    public void done(String node, long version) {
        keep(new Key(PodNames.ALL, node), new Status(version, compared));
    }

    /** A line; absent: the node is gone since, which is an event of its own. */
    Optional<byte[]> line(Change change, Form form) {
        Optional<byte[]> status = change.type() == EventType.DELETED
                ? Optional.of(bytes(JSON.createObjectNode().put("node", change.node())))
                : status(change, form.names());
        return status.map(
                json -> line(change.type().name(), form.table() ? table(change, json) : object(change, json)));
    }

    private Optional<byte[]> status(Change change, PodNames names) {
        Key key = new Key(names, change.node());
        Optional<byte[]> known = Optional.ofNullable(kept.get(key))
                .filter(each -> each.version() >= change.version())
                .map(Status::json);
        return known.isPresent()
                ? known
                : cluster.snapshot(change.node()).map(node -> {
                    byte[] json = rendered(node, names);
                    keep(key, new Status(change.version(), json));
                    return json;
                });
    }

    private byte[] rendered(NodeSnapshot node, PodNames names) {
        return bytes(NodeJson.of(node, cluster, names));
    }

    private void keep(Key key, Status status) {
        kept.put(key, status);
        if (kept.size() > MOST_KEPT) {
            kept.remove(kept.keySet().iterator().next());
        }
    }

    /** Nobody watches. */
    void clear() {
        kept.clear();
    }

    private static byte[] object(Change change, byte[] status) {
        ObjectNode head = AggregatedApi.object("NumaNode");
        head.putObject("metadata").put("name", change.node()).put("resourceVersion", String.valueOf(change.version()));
        return joined(bytes(head), ",\"status\":", status);
    }

    /** One JSON object with a further field at its end. */
    private static byte[] joined(byte[] object, String field, byte[] value) {
        byte[] name = field.getBytes(StandardCharsets.UTF_8);
        ByteBuffer joined = ByteBuffer.allocate(object.length + name.length + value.length);
        joined.put(object, 0, object.length - 1).put(name).put(value).put((byte) '}');
        return joined.array();
    }

    private byte[] table(Change change, byte[] status) {
        try {
            ObjectNode table = NumaNodeTable.of(List.of(JSON.readTree(status)));
            table.withObject("/metadata").put("resourceVersion", String.valueOf(change.version()));
            return bytes(table);
        } catch (IOException e) {
            throw new IllegalStateException("what was written can be read", e);
        }
    }

    /** Says which version the caller knows. */
    static byte[] bookmark(long version, boolean table, boolean isInitialEnd) {
        ObjectNode object = table ? NumaNodeTable.of(List.of()) : AggregatedApi.object("NumaNode");
        ObjectNode metadata = object.withObject("/metadata").put("resourceVersion", String.valueOf(version));
        if (isInitialEnd) {
            metadata.putObject("annotations").put("k8s.io/initial-events-end", "true");
        }
        return line("BOOKMARK", bytes(object));
    }

    private static byte[] line(String type, byte[] object) {
        byte[] event = joined(bytes(JSON.createObjectNode().put("type", type)), ",\"object\":", object);
        byte[] line = Arrays.copyOf(event, event.length + 1);
        line[event.length] = '\n';
        return line;
    }

    private static byte[] bytes(JsonNode json) {
        try {
            return JSON.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree cannot fail to be written", e);
        }
    }
}
