package io.numaledger.agent.statefiles;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;

/** Reads state files as a stream of tokens and skips unknown fields. */
final class StateJson {

    private StateJson() {}

    /** Reads one value, at whose first token the parser stands. */
    interface Reading {
        void read() throws IOException;
    }

    /** Begins a file. */
    static void begin(JsonParser json) throws IOException {
        if (json.nextToken() != JsonToken.START_OBJECT) {
            throw new IllegalArgumentException("it is no JSON object");
        }
    }

    /** Reads one field of an object that has begun, to its end; without the field, or where it is null, nothing is read. */
    static void field(JsonParser json, String name, Reading value) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean wanted = json.currentName().equals(name);
            if (json.nextToken() != JsonToken.VALUE_NULL && wanted) {
                value.read();
            } else {
                json.skipChildren();
            }
        }
    }
}
