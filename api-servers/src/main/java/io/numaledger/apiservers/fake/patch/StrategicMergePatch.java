package io.numaledger.apiservers.fake.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Strategic merge patch of built-in kinds: a JSON merge patch, but the conditions of the status are merged by their type. Our
 * programs patch no other list that has a merge key, and give no directives.
 */
public final class StrategicMergePatch {

    private StrategicMergePatch() {}

    /** The patched object; neither argument is changed. */
    public static ObjectNode apply(ObjectNode target, ObjectNode patch) {
        ObjectNode result = (ObjectNode) JsonMergePatch.apply(target, patch);
        if (patch.at("/status/conditions") instanceof ArrayNode changes) {
            ArrayNode conditions = ((ObjectNode) result.path("status")).putArray("conditions");
            target.at("/status/conditions").forEach(each -> conditions.add(each.deepCopy()));
            changes.forEach(change -> merge(conditions, change));
        }
        return result;
    }

    private static void merge(ArrayNode conditions, JsonNode change) {
        for (int i = 0; i < conditions.size(); i++) {
            if (conditions.get(i).path("type").equals(change.path("type"))) {
                conditions.set(i, JsonMergePatch.apply(conditions.get(i), change));
                return;
            }
        }
        conditions.add(change.deepCopy());
    }
}
