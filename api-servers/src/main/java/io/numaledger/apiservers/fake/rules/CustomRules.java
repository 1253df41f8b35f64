package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonEquality;
import io.numaledger.apiservers.fake.resource.ObjectMeta;

import java.util.List;

/** Rules of custom resources: no schema, and a new generation for each change outside of metadata. */
final class CustomRules implements ObjectRules {

    @Override
    public void prepareCreate(ObjectNode object) {
        ObjectMeta.of(object).setGeneration(1);
    }

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        boolean same = JsonEquality.same(content(before), content(after));
        ObjectMeta.of(after).setGeneration(ObjectMeta.read(before).generation() + (same ? 0 : 1));
    }

    private static ObjectNode content(ObjectNode object) {
        return object.deepCopy().without(List.of("apiVersion", "kind", "metadata"));
    }
}
