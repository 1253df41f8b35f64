package io.numaledger.apiservers.fake.patch;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON patch, RFC 6902: a list of operations that succeed or fail as a whole. */
public final class JsonPatch {

    private JsonPatch() {}

    /**
     * The patched value; neither argument is changed.
     *
     * @throws PatchFailure if a path does not exist, or if a test fails
     */
    public static JsonNode apply(JsonNode target, JsonNode operations) {
        JsonNode result = target.deepCopy();
        for (JsonNode operation : operations) {
            result = applyOne(result, operation);
        }
        return result;
    }

    private static JsonNode applyOne(JsonNode target, JsonNode operation) {
        JsonPointer path = pointer(operation, "path");
        String name = operation.path("op").asText();
        return switch (name) {
            case "add" -> add(target, path, value(operation));
            case "remove" -> remove(target, path);
            case "replace" -> add(remove(target, path), path, value(operation));
            case "move" -> move(target, pointer(operation, "from"), path);
            case "copy" ->
                add(target, path, existing(target, pointer(operation, "from")).deepCopy());
            case "test" -> test(target, path, value(operation));
            default ->
                throw new PatchFailure(
                        "unknown operation: op=%s; use add, remove, replace, move, copy or test".formatted(name));
        };
    }

    private static JsonNode add(JsonNode target, JsonPointer path, JsonNode value) {
        if (path.matches()) {
            return value;
        }
        String last = path.last().getMatchingProperty();
        JsonNode parent = existing(target, path.head());
        if (parent instanceof ObjectNode object) {
            object.set(last, value);
        } else if (parent instanceof ArrayNode array) {
            array.insert(last.equals("-") ? array.size() : index(last, array.size()), value);
        } else {
            throw missing(path);
        }
        return target;
    }

    private static JsonNode remove(JsonNode target, JsonPointer path) {
        existing(target, path);
        if (path.matches()) {
            return target;
        }
        JsonNode parent = existing(target, path.head());
        if (parent instanceof ArrayNode array) {
            array.remove(index(path.last().getMatchingProperty(), array.size() - 1));
        } else {
            ((ObjectNode) parent).remove(path.last().getMatchingProperty());
        }
        return target;
    }

    private static JsonNode move(JsonNode target, JsonPointer from, JsonPointer path) {
        JsonNode moved = existing(target, from);
        return add(remove(target, from), path, moved);
    }

    private static JsonNode test(JsonNode target, JsonPointer path, JsonNode expected) {
        if (!existing(target, path).equals(expected)) {
            throw new PatchFailure(
                    "a test does not hold: path=%s expected=%s; read the object again".formatted(path, expected));
        }
        return target;
    }

    private static JsonNode existing(JsonNode target, JsonPointer path) {
        JsonNode found = target.at(path);
        if (found.isMissingNode()) {
            throw missing(path);
        }
        return found;
    }

    private static PatchFailure missing(JsonPointer path) {
        return new PatchFailure("nothing is there: path=%s; read the object again".formatted(path));
    }

    private static int index(String text, int last) {
        int index = text.matches("\\d{1,9}") ? Integer.parseInt(text) : -1;
        if (index < 0 || index > last) {
            throw new PatchFailure(
                    "not an index of this list: index=%s last=%d; read the object again".formatted(text, last));
        }
        return index;
    }

    private static JsonPointer pointer(JsonNode operation, String field) {
        try {
            return JsonPointer.compile(operation.path(field).asText());
        } catch (IllegalArgumentException e) {
            throw new PatchFailure(
                    "not a JSON pointer: %s=%s; begin it with a slash".formatted(field, operation.path(field)));
        }
    }

    private static JsonNode value(JsonNode operation) {
        JsonNode value = operation.get("value");
        if (value == null) {
            throw new PatchFailure("an operation lacks its value: operation=%s; add the value".formatted(operation));
        }
        return value.deepCopy();
    }
}
