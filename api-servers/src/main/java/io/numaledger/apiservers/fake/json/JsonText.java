package io.numaledger.apiservers.fake.json;

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

/** Reads and writes JSON and YAML. Decimal numbers keep all their digits. */
public final class JsonText {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private static final ObjectMapper YAML = YAMLMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private JsonText() {}

    public static JsonNode parseJson(byte[] text) throws IOException {
        return present(JSON.readTree(text));
    }

    /** Parses YAML; JSON is valid YAML. */
    public static JsonNode parseYaml(byte[] text) throws IOException {
        return present(YAML.readTree(text));
    }

    public static byte[] write(JsonNode node) {
        try {
            return JSON.writeValueAsBytes(node);
        } catch (JsonProcessingException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String writeString(JsonNode node) {
        return new String(write(node), StandardCharsets.UTF_8);
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    private static JsonNode present(JsonNode node) {
        return node == null ? JsonNodeFactory.instance.missingNode() : node;
    }
}
