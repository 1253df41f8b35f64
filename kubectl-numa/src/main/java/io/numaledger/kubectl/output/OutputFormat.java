package io.numaledger.kubectl.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.text.ControlCharacters;

import java.util.function.Function;

/** How results are printed. */
public enum OutputFormat {
    /** For people. */
    table,
    /** For people, with all details. */
    wide,
    /** One JSON object per line. */
    json,
    /** One YAML document per result. */
    yaml;

    private static final YAMLMapper YAML = new YAMLMapper();

    /** Whether it is for people. */
    public boolean isTable() {
        return this == table || this == wide;
    }

    /** A result in this format. */
    public String text(JsonNode result, Function<JsonNode, String> table) {
        try {
            return switch (this) {
                case table, wide -> table.apply(escaped(result));
                case json -> result.toString();
                case yaml -> YAML.writeValueAsString(result).stripTrailing();
            };
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree cannot fail to be written", e);
        }
    }

    /** A copy without control characters in its texts and names. */
    private static JsonNode escaped(JsonNode result) {
        if (result.isTextual()) {
            return TextNode.valueOf(ControlCharacters.escaped(result.textValue()));
        }
        if (result.isArray()) {
            ArrayNode array = JsonNodeFactory.instance.arrayNode();
            result.forEach(each -> array.add(escaped(each)));
            return array;
        }
        if (result.isObject()) {
            ObjectNode object = JsonNodeFactory.instance.objectNode();
            result.properties()
                    .forEach(each -> object.set(ControlCharacters.escaped(each.getKey()), escaped(each.getValue())));
            return object;
        }
        return result;
    }
}
