package io.numaledger.kubectl.zones;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.kubectl.client.Kubectl;
import io.numaledger.kubectl.client.KubectlException;
import io.numaledger.kubectl.zones.Zones.NodeListener;

import java.io.IOException;
import java.util.ArrayList;
import java.util.SortedMap;
import java.util.TreeMap;

/** Nodes as the events of watches have told them. Each watch goes on where the one before has ended. */
final class WatchedNodes {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String WATCH = "?watch=true&allowWatchBookmarks=true";

    private final SortedMap<String, JsonNode> nodes = new TreeMap<>();

    /** The version of the nodes; empty: they are not complete. */
    private String version = "";

    /** Follows one watch until it ends. */
    void follow(Kubectl kubectl, String path, NodeListener listener) throws IOException, InterruptedException {
        String from = version;
        if (from.isEmpty()) {
            nodes.clear();
        }
        String since = from.isEmpty()
                ? "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                : "&resourceVersion=" + from;
        try {
            kubectl.follow(path + WATCH + since, (line, more) -> {
                apply(JSON.readTree(line));
                if (!more && !version.isEmpty()) {
                    listener.nodes(new ArrayList<>(nodes.values()));
                }
            });
        } catch (KubectlException e) {
            if (from.isEmpty() || e.reason() != KubectlException.Reason.EXPIRED) {
                throw e;
            }
            version = "";
            follow(kubectl, path, listener);
        }
    }

    private void apply(JsonNode event) throws IOException {
        JsonNode object = event.path("object");
        String name = object.at("/metadata/name").asText();
        switch (event.path("type").asText()) {
            case "ADDED", "MODIFIED" -> nodes.put(name, object.path("status"));
            case "DELETED" -> nodes.remove(name);
            case "BOOKMARK" -> version = object.at("/metadata/resourceVersion").asText();
            default ->
                throw new IOException(
                        "the watch of nodes fails: " + object.path("message").asText());
        }
        if (!version.isEmpty()) {
            version = object.at("/metadata/resourceVersion").asText();
        }
    }
}
