package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads of recorded JSON, in which null and missing are the same. */
final class Json {

    private Json() {}

    static boolean has(JsonNode parent, String field) {
        return parent.hasNonNull(field);
    }

    static Optional<JsonNode> optional(JsonNode parent, String field) {
        return Optional.ofNullable(parent.get(field)).filter(node -> !node.isNull());
    }

    static JsonNode required(JsonNode parent, String field) {
        return optional(parent, field)
                .orElseThrow(() -> new IllegalArgumentException(
                        "a field is missing: field=%s object=%.80s; look at the file's README"
                                .formatted(field, parent)));
    }

    static String text(JsonNode parent, String field) {
        return required(parent, field).asText();
    }

    static List<JsonNode> list(JsonNode parent, String field) {
        List<JsonNode> items = new ArrayList<>();
        optional(parent, field).ifPresent(array -> array.forEach(items::add));
        return items;
    }

    static List<Integer> ints(JsonNode array) {
        List<Integer> items = new ArrayList<>();
        array.forEach(item -> items.add(item.asInt()));
        return items;
    }

    /** The fields of an object, by name. */
    static Map<String, JsonNode> fields(JsonNode object) {
        Map<String, JsonNode> fields = new TreeMap<>();
        object.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }
}
