package io.numaledger.apiservers.fake.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;

/**
 * The owner of one {@code managedFields} entry.
 *
 * @param apply true for the operation Apply, false for Update
 * @param apiVersion the API version of the write, such as {@code v1}
 * @param time of the write
 */
public record FieldManager(String name, boolean apply, String apiVersion, String time) {

    private String operation() {
        return apply ? "Apply" : "Update";
    }

    boolean isIn(JsonNode entry) {
        return entry.path("manager").asText().equals(name)
                && entry.path("operation").asText().equals(operation());
    }

    /** An entry without fields. */
    ObjectNode entry() {
        return JsonText.object()
                .put("manager", name)
                .put("operation", operation())
                .put("apiVersion", apiVersion)
                .put("time", time)
                .put("fieldsType", "FieldsV1");
    }
}
