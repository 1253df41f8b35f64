package io.numaledger.apiservers.fake.patch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** JSON merge patch, RFC 7386: objects merge, null deletes, everything else replaces. */
public final class JsonMergePatch {

    private JsonMergePatch() {}

    /** The patched value; neither argument is changed. */
    public static JsonNode apply(JsonNode target, JsonNode patch) {
        if (!(patch instanceof ObjectNode changes)) {
            return patch.deepCopy();
        }
        ObjectNode result =
                target instanceof ObjectNode object ? object.deepCopy() : JsonNodeFactory.instance.objectNode();
        changes.properties().forEach(change -> {
            if (change.getValue().isNull()) {
                result.remove(change.getKey());
            } else {
                result.set(change.getKey(), apply(result.path(change.getKey()), change.getValue()));
            }
        });
        return result;
    }
}
