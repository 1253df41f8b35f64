package io.numaledger.objects;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the documents of a text, as kubectl takes it: JSON, or YAML with anchors and aliases. */
public final class Documents {

    private static final ObjectMapper JSON =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY);

    /** Divides documents of YAML, and of JSON. */
    private static final Pattern DIVIDER = Pattern.compile("^---(?:[ \\t].*)?$", Pattern.MULTILINE);

    private Documents() {}

    /**
     * All documents that are not empty, with the items of a List in its place.
     *
     * @throws IOException as one line, with the place of the error
     */
    public static List<JsonNode> read(String text) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        if (!text.stripLeading().startsWith("{")) {
            yaml(text, documents);
            return documents;
        }
        for (String part : DIVIDER.split(text)) {
            if (part.isBlank() || part.stripLeading().startsWith("{")) {
                json(part, documents);
            } else {
                yaml(part, documents);
            }
        }
        return documents;
    }

    /** What takes documents, one after the other. */
    @FunctionalInterface
    interface Sink {
        void add(JsonNode document) throws IOException;
    }

    /**
     * Reads a file of JSON without having more than one item of a List in memory.
     *
     * @return false: it is no JSON, or has a fault. The sink may have got the documents before that
     */
    static boolean streamed(Path file, Sink sink) throws IOException {
        try (JsonParser parser = JSON.createParser(Files.newInputStream(file))) {
            while (parser.nextToken() == JsonToken.START_OBJECT) {
                ObjectNode object = JSON.createObjectNode();
                while (parser.nextToken() == JsonToken.FIELD_NAME) {
                    String field = parser.currentName();
                    if (parser.nextToken() == JsonToken.START_ARRAY && field.equals("items")) {
                        while (parser.nextToken() != JsonToken.END_ARRAY) {
                            List<JsonNode> item = new ArrayList<>();
                            add(JSON.readTree(parser), item);
                            for (JsonNode each : item) {
                                sink.add(each);
                            }
                        }
                        object.putArray(field);
                    } else {
                        object.set(field, JSON.readTree(parser));
                    }
                }
                if (!object.has("items")) {
                    sink.add(object);
                }
            }
            return !parser.hasCurrentToken();
        } catch (JsonProcessingException fault) {
            return false;
        }
    }

    /** One object after the other, or YAML that begins with a brace. */
    private static void json(String text, List<JsonNode> documents) throws IOException {
        List<JsonNode> read = new ArrayList<>();
        try (MappingIterator<JsonNode> values = JSON.readerFor(JsonNode.class).readValues(text)) {
            while (values.hasNextValue()) {
                add(values.nextValue(), read);
            }
        } catch (JsonProcessingException e) {
            read.clear();
            try {
                yaml(text, read);
            } catch (IOException neither) {
                throw new IOException("no JSON: " + JsonFault.of(e), e);
            }
        }
        documents.addAll(read);
    }

    private static void yaml(String text, List<JsonNode> documents) throws IOException {
        try {
            for (JsonNode document : YamlDocuments.read(text)) {
                add(document, documents);
            }
        } catch (MarkedYamlEngineException e) {
            String place = e.getProblemMark()
                    .map(mark -> " in line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1))
                    .orElse("");
            throw new IOException("no YAML: %s%s".formatted(e.getProblem(), place), e);
        } catch (YamlEngineException e) {
            throw new IOException("no YAML: %s".formatted(e.getMessage()), e);
        }
    }

    private static void add(JsonNode document, List<JsonNode> into) throws IOException {
        if (document.isNull()) {
            return;
        }
        if (!document.isObject()) {
            throw new IOException("it is text, and not an object of Kubernetes");
        }
        if (document.path("kind").asText().endsWith("List")
                && document.path("items").isArray()) {
            for (JsonNode item : document.path("items")) {
                add(item, into);
            }
        } else {
            into.add(document);
        }
    }
}
