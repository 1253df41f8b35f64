package io.numaledger.agent.exclude;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.cli.Documentation;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The configuration file, in YAML or JSON, with the keys of resource-topology-exporter ({@code resourceExclude},
 * {@code podExclude}) and nfd-topology-updater ({@code excludeList}), and our own {@code deviceRename}. What stands under the
 * node's name and what stands under {@code *} count together.
 */
final class ExclusionsReader {

    private static final String ALL_NODES = "*";

    private final String node;
    private final TreeSet<String> resources = new TreeSet<>();
    private final List<PodPattern> pods = new ArrayList<>();
    private final TreeMap<String, String> renamed = new TreeMap<>();

    private ExclusionsReader(String node) {
        this.node = node;
    }

    /**
     * The exclusions for this node.
     *
     * @throws IOException if it is no YAML
     * @throws IllegalArgumentException naming the part that is wrong, and what is expected there
     */
    static Exclusions read(String node, String text) throws IOException {
        try (JsonParser yaml = new YAMLFactory().createParser(text)) {
            Object document = yaml.nextToken() == null ? Map.of() : value(yaml);
            ExclusionsReader reader = new ExclusionsReader(node);
            map("the document", document).forEach(reader::take);
            return new Exclusions(reader.resources, reader.pods, reader.renamed);
        }
    }

    private void take(String key, Object value) {
        switch (key) {
            case "resourceExclude", "excludeList" ->
                ofThisNode(key, value)
                        .forEach(names -> list(key, names).forEach(name -> resources.add(text(key, name))));
            case "podExclude" -> list(key, value).forEach(entry -> pods.add(pattern(entry)));
            case "deviceRename" ->
                ofThisNode(key, value)
                        .forEach(names ->
                                map(key, names).forEach((from, to) -> renamed.put(from, text(key + "." + from, to))));
            case "kubelet" ->
                throw new IllegalArgumentException(
                        "kubelet is not read here; give --kubelet-config, --topology-manager-policy and --topology-manager-scope");
            default ->
                throw new IllegalArgumentException(
                        "%s is no key; expected resourceExclude, excludeList, podExclude or deviceRename"
                                .formatted(key));
        }
    }

    private List<Object> ofThisNode(String key, Object byNode) {
        List<Object> found = new ArrayList<>();
        map(key, byNode).forEach((name, value) -> {
            if (name.equals(ALL_NODES) || name.equals(node)) {
                found.add(value);
            }
        });
        return found;
    }

    private static PodPattern pattern(Object entry) {
        Map<String, Object> fields = map("podExclude[]", entry);
        for (String field : fields.keySet()) {
            if (!field.equals("namespacePattern") && !field.equals("namePattern")) {
                throw new IllegalArgumentException(
                        "podExclude[].%s is no key; expected namespacePattern and namePattern".formatted(field));
            }
        }
        return new PodPattern(
                text("podExclude[].namespacePattern", fields.get("namespacePattern")),
                text("podExclude[].namePattern", fields.get("namePattern")));
    }

    private static Map<String, Object> map(String where, Object value) {
        if (value instanceof Map<?, ?> found) {
            Map<String, Object> typed = new LinkedHashMap<>();
            found.forEach((key, each) -> typed.put(String.valueOf(key), each));
            return typed;
        }
        throw new IllegalArgumentException(
                "%s is no mapping; see the example in %s".formatted(where, Documentation.page("operate.md")));
    }

    private static List<?> list(String where, Object value) {
        if (value instanceof List<?> found) {
            return found;
        }
        throw new IllegalArgumentException(
                "%s is no list; see the example in %s".formatted(where, Documentation.page("operate.md")));
    }

    private static String text(String where, @Nullable Object value) {
        if (value instanceof String found && !found.isBlank()) {
            return found;
        }
        throw new IllegalArgumentException("%s is missing or no text; expected such as '*'".formatted(where));
    }

    private static Object value(JsonParser yaml) throws IOException {
        JsonToken token = yaml.currentToken();
        if (token == JsonToken.START_OBJECT) {
            Map<String, Object> fields = new LinkedHashMap<>();
            while (yaml.nextToken() == JsonToken.FIELD_NAME) {
                String name = yaml.currentName();
                yaml.nextToken();
                fields.put(name, value(yaml));
            }
            return fields;
        }
        if (token == JsonToken.START_ARRAY) {
            List<Object> items = new ArrayList<>();
            while (yaml.nextToken() != JsonToken.END_ARRAY) {
                items.add(value(yaml));
            }
            return items;
        }
        return token == JsonToken.VALUE_NULL ? "" : yaml.getText();
    }
}
