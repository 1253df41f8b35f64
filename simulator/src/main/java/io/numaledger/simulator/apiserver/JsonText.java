package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** JSON and YAML text to trees and back; a decimal number keeps all its digits. */
final class JsonText {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final ObjectMapper YAML = YAMLMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private JsonText() {}

    static JsonNode parseJson(byte[] text) throws IOException {
        return present(JSON.readTree(text));
    }

    /** YAML, of which JSON is a part. */
    static JsonNode parseYaml(byte[] text) throws IOException {
        return present(YAML.readTree(text));
    }

    static byte[] write(JsonNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String writeString(JsonNode node) {
        return new String(write(node), StandardCharsets.UTF_8);
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static JsonNode present(JsonNode node) {
        return node == null ? JsonNodeFactory.instance.missingNode() : node;
    }
}
