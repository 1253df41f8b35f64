package io.numaledger.agent.run;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A NodeResourceTopology as a map from path to value. The paths of zones, resources and costs have names, because the other
 * exporters write them in random order. The paths of attributes have indexes.
 */
final class PublishedFields {

    private PublishedFields() {}

    static SortedMap<String, String> of(JsonNode object) {
        TreeMap<String, String> fields = new TreeMap<>();
        add("", object, fields);
        return fields;
    }

    private static void add(String path, JsonNode node, SortedMap<String, String> into) {
        if (node.isObject()) {
            node.properties().forEach(field -> add(path + "/" + field.getKey(), field.getValue(), into));
        } else if (node.isArray()) {
            boolean byName = path.matches("/zones|.*/resources|.*/costs");
            for (int i = 0; i < node.size(); i++) {
                String key = byName ? node.get(i).path("name").asText() : String.valueOf(i);
                add(path + "/" + key, node.get(i), into);
            }
        } else {
            into.put(path, node.asText());
        }
    }
}
