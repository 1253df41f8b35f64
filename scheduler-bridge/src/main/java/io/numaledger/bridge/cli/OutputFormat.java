package io.numaledger.bridge.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

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
                case table, wide -> table.apply(result);
                case json -> result.toString();
                case yaml -> YAML.writeValueAsString(result).stripTrailing();
            };
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree cannot fail to be written", e);
        }
    }
}
