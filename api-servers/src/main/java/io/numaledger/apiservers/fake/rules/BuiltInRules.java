package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Rules of built-in kinds that need no special handling, such as nodes, leases and events. A new node keeps its status,
 * because kubelets create nodes with one.
 */
record BuiltInRules(boolean hasStatus) implements ObjectRules {

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        if (hasStatus) {
            ObjectRules.keep("status", before, after);
        }
    }
}
