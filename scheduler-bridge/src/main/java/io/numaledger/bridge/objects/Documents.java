package io.numaledger.bridge.objects;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Reads the documents of a text, as kubectl takes it: JSON, or YAML with anchors and aliases. */
public final class Documents {

    private static final ObjectMapper JSON = new ObjectMapper();

    private Documents() {}

    /**
     * All documents that are not empty, with the items of a List in its place.
     *
     * @throws IOException as one line, with the place of the error
     */
    public static List<JsonNode> read(String text) throws IOException {
        List<JsonNode> documents = new ArrayList<>();
        if (text.stripLeading().startsWith("{")) {
            try (MappingIterator<JsonNode> values =
                    JSON.readerFor(JsonNode.class).readValues(text)) {
                while (values.hasNextValue()) {
                    add(values.nextValue(), documents);
                }
            } catch (JsonProcessingException e) {
                throw new IOException("no JSON: %s".formatted(e.getOriginalMessage()), e);
            }
            return documents;
        }
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
        return documents;
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
