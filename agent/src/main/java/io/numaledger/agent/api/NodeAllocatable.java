package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.util.SortedMap;
import java.util.TreeMap;

/** What this node's Node object says that pods may use ({@code status.allocatable}). A plugin that registers with the kubelet changes it. */
public final class NodeAllocatable implements AutoCloseable {

    private final WatchedCollection<SortedMap<String, String>> collection;
    private final ResourceWatch<SortedMap<String, String>> watch;

    /** @param onChange called from the watch's thread when an amount changed */
    public NodeAllocatable(ApiServer api, String node, Runnable onChange) {
        this.collection = new WatchedCollection<>(onChange, amounts -> true, (before, after) -> false);
        this.watch = new ResourceWatch<>(
                api,
                new ResourceWatch.Followed<>(
                        "/api/v1/nodes", "fieldSelector=metadata.name%3D" + node, NodeAllocatable::read, false),
                collection,
                () -> {});
    }

    /** Without the right to watch nodes, nothing is ever heard. */
    public void startWatching() {
        watch.start();
    }

    /** See {@link ResourceWatch#cutIfSilent()}. */
    public void keepAlive() {
        watch.cutIfSilent();
    }

    static Watched<SortedMap<String, String>> read(JsonParser json) throws IOException {
        TreeMap<String, String> metadata = new TreeMap<>();
        TreeMap<String, String> allocatable = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "metadata" -> readTexts(json, metadata);
                case "status" -> readStatus(json, allocatable);
                default -> json.skipChildren();
            }
        }
        return new Watched<>(
                metadata.getOrDefault("name", ""), metadata.getOrDefault("resourceVersion", ""), allocatable);
    }

    private static void readStatus(JsonParser json, SortedMap<String, String> allocatable) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean wanted = json.currentName().equals("allocatable");
            json.nextToken();
            if (wanted) {
                readTexts(json, allocatable);
            } else {
                json.skipChildren();
            }
        }
    }

    static void readTexts(JsonParser json, SortedMap<String, String> into) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            if (json.currentToken() == JsonToken.VALUE_STRING) {
                into.put(field, json.getText());
            } else {
                json.skipChildren();
            }
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
