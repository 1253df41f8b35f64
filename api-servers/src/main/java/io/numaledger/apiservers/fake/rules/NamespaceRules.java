package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.resource.ObjectMeta;

/** Rules of namespaces. A namespace is active at once and has its name as a label. */
final class NamespaceRules implements ObjectRules {

    private static final String NAME_LABEL = "kubernetes.io/metadata.name";

    @Override
    public void prepareCreate(ObjectNode object) {
        ObjectMeta meta = ObjectMeta.of(object);
        meta.node().withObjectProperty("labels").put(NAME_LABEL, meta.name());
        object.withObjectProperty("spec").putArray("finalizers").add("kubernetes");
        object.putObject("status").put("phase", "Active");
    }

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        ObjectRules.keep("spec", before, after);
        ObjectRules.keep("status", before, after);
        ObjectMeta meta = ObjectMeta.of(after);
        meta.node().withObjectProperty("labels").put(NAME_LABEL, meta.name());
    }
}
