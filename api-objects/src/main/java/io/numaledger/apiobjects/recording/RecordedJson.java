package io.numaledger.apiobjects.recording;

import com.fasterxml.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads of recorded JSON, in which null and missing are the same. */
public final class RecordedJson {

    private RecordedJson() {}

    public static boolean has(JsonNode parent, String field) {
        return parent.hasNonNull(field);
    }

    public static Optional<JsonNode> optional(JsonNode parent, String field) {
        return Optional.ofNullable(parent.get(field)).filter(node -> !node.isNull());
    }

    public static JsonNode required(JsonNode parent, String field) {
        return optional(parent, field)
                .orElseThrow(() -> new IllegalArgumentException(
                        "a field is missing: field=%s object=%.80s; look at the file's README"
                                .formatted(field, parent)));
    }

    public static String text(JsonNode parent, String field) {
        return required(parent, field).asText();
    }

    public static List<JsonNode> list(JsonNode parent, String field) {
        List<JsonNode> items = new ArrayList<>();
        optional(parent, field).ifPresent(array -> array.forEach(items::add));
        return items;
    }

    public static List<Integer> ints(JsonNode array) {
        List<Integer> items = new ArrayList<>();
        array.forEach(item -> items.add(item.asInt()));
        return items;
    }

    /** The fields of an object, by name. */
    public static Map<String, JsonNode> fields(JsonNode object) {
        Map<String, JsonNode> fields = new TreeMap<>();
        object.properties().forEach(field -> fields.put(field.getKey(), field.getValue()));
        return fields;
    }

    /** The fields of an object whose values are texts, such as options of a policy. */
    public static SortedMap<String, String> texts(JsonNode object) {
        SortedMap<String, String> texts = new TreeMap<>();
        fields(object).forEach((name, value) -> texts.put(name, value.asText()));
        return texts;
    }

    /** The fields of an object whose values are true or false, such as feature gates. */
    public static SortedMap<String, Boolean> flags(JsonNode object) {
        SortedMap<String, Boolean> flags = new TreeMap<>();
        fields(object).forEach((name, value) -> flags.put(name, value.asBoolean()));
        return flags;
    }
}
