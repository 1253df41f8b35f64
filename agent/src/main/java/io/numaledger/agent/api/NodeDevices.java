package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How many devices of each resource a Node has.
 *
 * @param kubelet its version, such as {@code v1.36.3}; empty: not known
 * @param capacity those that plugins list, unhealthy ones included
 * @param allocatable the healthy ones
 */
public record NodeDevices(String kubelet, SortedMap<String, Long> capacity, SortedMap<String, Long> allocatable) {

    /** The devices of a Node that is not known. */
    public static final NodeDevices UNKNOWN =
            new NodeDevices("", Collections.emptySortedMap(), Collections.emptySortedMap());

    public NodeDevices {
        capacity = Collections.unmodifiableSortedMap(new TreeMap<>(capacity));
        allocatable = Collections.unmodifiableSortedMap(new TreeMap<>(allocatable));
    }

    /** Reads a Node, at whose first token the parser stands. */
    public static NodeDevices read(JsonParser json) throws IOException {
        TreeMap<String, String> info = new TreeMap<>();
        TreeMap<String, String> capacity = new TreeMap<>();
        TreeMap<String, String> allocatable = new TreeMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean isStatus = json.currentName().equals("status");
            json.nextToken();
            if (!isStatus) {
                json.skipChildren();
                continue;
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "nodeInfo" -> NodeAllocatable.readTexts(json, info);
                    case "capacity" -> NodeAllocatable.readTexts(json, capacity);
                    case "allocatable" -> NodeAllocatable.readTexts(json, allocatable);
                    default -> json.skipChildren();
                }
            }
        }
        return new NodeDevices(info.getOrDefault("kubeletVersion", ""), counts(capacity), counts(allocatable));
    }

    /** CPUs and memory are no devices; a count has no unit. */
    private static SortedMap<String, Long> counts(SortedMap<String, String> amounts) {
        TreeMap<String, Long> counts = new TreeMap<>();
        amounts.forEach((resource, amount) -> {
            if (resource.indexOf('/') > 0 && amount.matches("\\d{1,9}")) {
                counts.put(resource, Long.parseLong(amount));
            }
        });
        return counts;
    }

    /** How many devices of a resource are listed and unhealthy. */
    public long unhealthy(String resource) {
        return capacity.getOrDefault(resource, 0L) - allocatable.getOrDefault(resource, 0L);
    }
}
