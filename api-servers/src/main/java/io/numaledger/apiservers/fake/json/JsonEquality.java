package io.numaledger.apiservers.fake.json;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NumericNode;

/** Equality of JSON values. Numbers are compared by value, whatever Java type holds them. */
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
