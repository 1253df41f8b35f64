package io.numaledger.fakeapiserver.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Optional;
import java.util.TreeSet;

/**
 * Strategic merge patch of built-in kinds: like a JSON merge patch, but lists with a merge key are merged item by item.
 * Follows util/strategicpatch in apimachinery for the lists of {@link MergeKeys} and the directives {@code $patch},
 * {@code $setElementOrder}, {@code $deleteFromPrimitiveList} and {@code $retainKeys}.
 */
public final class StrategicMergePatch {

    private static final String DIRECTIVE = "$patch";
    private static final String DELETE_FROM_SET = "$deleteFromPrimitiveList/";
    private static final String RETAIN_KEYS = "$retainKeys";

    private StrategicMergePatch() {}

    /** The patched object; neither argument is changed. */
    public static ObjectNode apply(ObjectNode target, ObjectNode patch) {
        if (patch.path(DIRECTIVE).asText().equals("replace")) {
            return withoutDirectives(patch);
        }
        ObjectNode result = target.deepCopy();
        patch.properties().forEach(change -> {
            if (change.getKey().startsWith(DELETE_FROM_SET)) {
                deleteFromSet(result, change.getKey().substring(DELETE_FROM_SET.length()), change.getValue());
            } else if (change.getKey().equals(RETAIN_KEYS)) {
                retain(result, change.getValue());
            } else if (!change.getKey().startsWith("$")) {
                applyField(result, change.getKey(), change.getValue());
            }
        });
        return result;
    }

    private static void applyField(ObjectNode result, String field, JsonNode change) {
        if (change.isNull()) {
            result.remove(field);
        } else if (change instanceof ObjectNode object) {
            mergeObject(result, field, object);
        } else if (change instanceof ArrayNode array) {
            result.set(field, mergeList(field, result.path(field), array));
        } else {
            result.set(field, change.deepCopy());
        }
    }

    private static void mergeObject(ObjectNode result, String field, ObjectNode change) {
        if (change.path(DIRECTIVE).asText().equals("delete")) {
            result.remove(field);
            return;
        }
        ObjectNode current = result.path(field) instanceof ObjectNode object ? object : empty();
        result.set(field, apply(current, change));
    }

    private static ArrayNode mergeList(String field, JsonNode current, ArrayNode changes) {
        Optional<String> key = MergeKeys.of(field).filter(each -> keyedBy(each, changes));
        if (!current.isArray()) {
            ArrayNode empty = JsonNodeFactory.instance.arrayNode();
            return key.isPresent() ? mergeItems(key.get(), empty, changes) : changes.deepCopy();
        }
        if (MergeKeys.isSet(field)) {
            return union((ArrayNode) current, changes);
        }
        return key.map(each -> mergeItems(each, (ArrayNode) current, changes)).orElseGet(changes::deepCopy);
    }

    /** False for service ports, which are also called ports but have no containerPort; such a list is replaced. */
    private static boolean keyedBy(String key, ArrayNode changes) {
        for (JsonNode change : changes) {
            if (!change.has(key) && !change.has(DIRECTIVE)) {
                return false;
            }
        }
        return true;
    }

    private static ArrayNode mergeItems(String key, ArrayNode current, ArrayNode changes) {
        ArrayNode result = startOf(current, changes);
        for (JsonNode change : changes) {
            if (change.has(key)) {
                mergeItem(key, result, (ObjectNode) change);
            }
        }
        return result;
    }

    private static ArrayNode startOf(ArrayNode current, ArrayNode changes) {
        for (JsonNode change : changes) {
            if (change.path(DIRECTIVE).asText().equals("replace")) {
                return JsonNodeFactory.instance.arrayNode();
            }
        }
        return current.deepCopy();
    }

    private static void mergeItem(String key, ArrayNode result, ObjectNode change) {
        int index = indexOf(result, key, change.get(key));
        boolean delete = change.path(DIRECTIVE).asText().equals("delete");
        if (delete && index >= 0) {
            result.remove(index);
        } else if (!delete && index >= 0) {
            result.set(index, apply((ObjectNode) result.get(index), change));
        } else if (!delete) {
            result.add(apply(empty(), change));
        }
    }

    private static int indexOf(ArrayNode items, String key, JsonNode value) {
        for (int i = 0; i < items.size(); i++) {
            if (value.equals(items.get(i).get(key))) {
                return i;
            }
        }
        return -1;
    }

    private static ArrayNode union(ArrayNode current, ArrayNode changes) {
        ArrayNode result = current.deepCopy();
        changes.forEach(each -> {
            if (!contains(result, each)) {
                result.add(each);
            }
        });
        return result;
    }

    private static void deleteFromSet(ObjectNode result, String field, JsonNode values) {
        if (result.path(field) instanceof ArrayNode current) {
            ArrayNode kept = JsonNodeFactory.instance.arrayNode();
            current.forEach(each -> {
                if (!contains((ArrayNode) values, each)) {
                    kept.add(each);
                }
            });
            result.set(field, kept);
        }
    }

    private static void retain(ObjectNode result, JsonNode keys) {
        var kept = new TreeSet<String>();
        keys.forEach(each -> kept.add(each.asText()));
        result.retain(kept);
    }

    private static boolean contains(ArrayNode values, JsonNode value) {
        for (JsonNode each : values) {
            if (each.equals(value)) {
                return true;
            }
        }
        return false;
    }

    private static ObjectNode withoutDirectives(ObjectNode patch) {
        ObjectNode result = patch.deepCopy();
        result.remove(DIRECTIVE);
        return result;
    }

    private static ObjectNode empty() {
        return JsonNodeFactory.instance.objectNode();
    }
}
