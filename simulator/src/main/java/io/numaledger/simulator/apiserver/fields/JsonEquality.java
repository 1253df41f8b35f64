package io.numaledger.simulator.apiserver.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NumericNode;

/** Equality of JSON values, in which a number is its value and not the Java type that happens to hold it. */
public final class JsonEquality {

    private JsonEquality() {}

    public static boolean same(JsonNode one, JsonNode other) {
        return one.equals(JsonEquality::compareLeaves, other);
    }

    private static int compareLeaves(JsonNode one, JsonNode other) {
        if (one.equals(other)) {
            return 0;
        }
        if (one instanceof NumericNode && other instanceof NumericNode) {
            return one.decimalValue().compareTo(other.decimalValue());
        }
        return 1;
    }
}
