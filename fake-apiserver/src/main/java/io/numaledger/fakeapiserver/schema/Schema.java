package io.numaledger.fakeapiserver.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The structural schema of one version of a custom resource: removes unknown fields and validates the others. Supports
 * type, properties, items, additionalProperties, required, pattern, nullable, int-or-string and preserve-unknown-fields.
 */
public final class Schema {

    private static final Set<String> TOP_LEVEL = Set.of("apiVersion", "kind", "metadata");

    private final JsonNode root;

    public Schema(JsonNode openApiV3Schema) {
        this.root = openApiV3Schema;
    }

    /** Removes unknown fields in place and returns their paths, sorted. */
    public List<String> prune(ObjectNode object) {
        TreeSet<String> removed = new TreeSet<>();
        Set<String> unknown = new TreeSet<>(
                object.properties().stream().map(each -> each.getKey()).toList());
        for (String field : unknown) {
            if (!TOP_LEVEL.contains(field)) {
                pruneField(root, object, field, field, removed);
            }
        }
        return List.copyOf(removed);
    }

    public List<FieldError> validate(ObjectNode object) {
        List<FieldError> causes = new ArrayList<>();
        required(root, "", object, causes);
        object.properties().forEach(each -> {
            if (!TOP_LEVEL.contains(each.getKey())) {
                validate(root.path("properties").path(each.getKey()), each.getKey(), each.getValue(), causes);
            }
        });
        causes.sort(Comparator.comparing(FieldError::field));
        return causes;
    }

    /** Removes a field that is unknown, or that is null and not nullable. */
    private static void pruneField(JsonNode schema, ObjectNode object, String field, String path, Set<String> removed) {
        JsonNode of = schema.path("properties").path(field);
        JsonNode known = of.isMissingNode() ? schema.path("additionalProperties") : of;
        if (known.isObject()
                && object.get(field).isNull()
                && !known.path("nullable").asBoolean()) {
            object.remove(field);
        } else if (known.isObject()) {
            pruneValue(known, object.get(field), path, removed);
        } else if (!preserves(schema) && !known.asBoolean()) {
            object.remove(field);
            removed.add(path);
        }
    }

    private static void pruneValue(JsonNode schema, JsonNode value, String path, Set<String> removed) {
        if (value instanceof ObjectNode object) {
            List<String> fields =
                    object.properties().stream().map(each -> each.getKey()).toList();
            fields.forEach(field -> pruneField(schema, object, field, path + "." + field, removed));
        } else if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                pruneValue(schema.path("items"), value.get(i), "%s[%d]".formatted(path, i), removed);
            }
        }
    }

    private static boolean preserves(JsonNode schema) {
        return schema.path("x-kubernetes-preserve-unknown-fields").asBoolean();
    }

    private static void validate(JsonNode schema, String path, JsonNode value, List<FieldError> causes) {
        if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
            intOrString(path, value, causes);
        } else if (!hasType(schema.path("type").asText(), value)) {
            causes.add(wrongType(path, typeOf(value), schema.path("type").asText()));
            return;
        }
        pattern(schema, path, value, causes);
        if (value.isObject()) {
            required(schema, path + ".", value, causes);
            value.properties()
                    .forEach(each -> validate(
                            property(schema, each.getKey()), path + "." + each.getKey(), each.getValue(), causes));
        } else if (value.isArray()) {
            for (int i = 0; i < value.size(); i++) {
                validate(schema.path("items"), "%s[%d]".formatted(path, i), value.get(i), causes);
            }
        }
    }

    private static JsonNode property(JsonNode schema, String name) {
        JsonNode property = schema.path("properties").path(name);
        return property.isMissingNode() ? schema.path("additionalProperties") : property;
    }

    private static void required(JsonNode schema, String prefix, JsonNode value, List<FieldError> causes) {
        for (JsonNode name : schema.path("required")) {
            if (!value.has(name.asText())) {
                causes.add(FieldError.required(prefix + name.asText()));
            }
        }
    }

    private static void pattern(JsonNode schema, String path, JsonNode value, List<FieldError> causes) {
        String pattern = schema.path("pattern").asText();
        if (!pattern.isEmpty()
                && value.isTextual()
                && !Pattern.compile(pattern).matcher(value.asText()).find()) {
            causes.add(FieldError.invalid(
                    path, "\"" + value.asText() + "\"", "%s in body should match '%s'".formatted(path, pattern)));
        }
    }

    private static void intOrString(String path, JsonNode value, List<FieldError> causes) {
        if (!value.isTextual() && !value.isIntegralNumber()) {
            causes.add(wrongType(path, typeOf(value), "integer,string"));
        }
    }

    private static FieldError wrongType(String path, String found, String wanted) {
        FieldError invalid = FieldError.invalid(
                path, "\"" + found + "\"", "%s in body must be of type %s: \"%s\"".formatted(path, wanted, found));
        return new FieldError("FieldValueTypeInvalid", path, invalid.message());
    }

    private static boolean hasType(String wanted, JsonNode value) {
        return wanted.isEmpty() || typeOf(value).equals(wanted) || (wanted.equals("number") && value.isNumber());
    }

    private static String typeOf(JsonNode value) {
        return switch (value.getNodeType()) {
            case ARRAY -> "array";
            case BOOLEAN -> "boolean";
            case NUMBER -> value.isIntegralNumber() ? "integer" : "number";
            case OBJECT, POJO -> "object";
            case STRING, BINARY -> "string";
            case MISSING, NULL -> "null";
        };
    }
}
