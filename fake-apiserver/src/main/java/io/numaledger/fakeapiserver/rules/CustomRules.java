package io.numaledger.fakeapiserver.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonEquality;
import io.numaledger.fakeapiserver.json.JsonText;
import io.numaledger.fakeapiserver.resource.ObjectMeta;
import io.numaledger.fakeapiserver.resource.ResourceType;
import io.numaledger.fakeapiserver.schema.FieldError;

import java.util.List;

/**
 * Rules of custom resources: validation by the schema of the client's version, and a new generation for each change
 * outside of metadata and status.
 */
record CustomRules(ResourceType type, String version) implements ObjectRules {

    @Override
    public void prepareCreate(ObjectNode object) {
        if (type.hasStatus()) {
            object.remove("status");
        }
        ObjectMeta.of(object).setGeneration(1);
    }

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        if (type.hasStatus()) {
            ObjectRules.keep("status", before, after);
        }
        boolean same = JsonEquality.same(content(before), content(after));
        ObjectMeta.of(after).setGeneration(ObjectMeta.read(before).generation() + (same ? 0 : 1));
    }

    @Override
    public void prepareStatusUpdate(ObjectNode before, ObjectNode after) {
        ObjectNode status = JsonText.object();
        ObjectRules.keep("status", after, status);
        ObjectNode metadata = (ObjectNode) before.get("metadata").deepCopy();
        after.removeAll();
        after.setAll(before.deepCopy());
        after.set("metadata", metadata);
        ObjectRules.keep("status", status, after);
    }

    @Override
    public List<FieldError> validate(ObjectNode before, ObjectNode after) {
        return type.schema(version).map(schema -> schema.validate(after)).orElse(List.of());
    }

    private static ObjectNode content(ObjectNode object) {
        return object.deepCopy().without(List.of("apiVersion", "kind", "metadata", "status"));
    }
}
