package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Built-in kinds without rules of their own, such as nodes, leases and events. A node may bring its status along when it
 * is created, as kubelets do.
 */
record BuiltInRules(boolean hasStatus) implements ObjectRules {

    @Override
    public void prepareUpdate(ObjectNode before, ObjectNode after) {
        if (hasStatus) {
            ObjectRules.keep("status", before, after);
        }
    }
}
