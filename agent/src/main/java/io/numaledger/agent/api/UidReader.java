package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;

/** Reads the UID of any object. */
final class UidReader {

    private UidReader() {}

    static String read(JsonParser json) throws IOException {
        String uid = "";
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            boolean metadata = json.currentName().equals("metadata");
            json.nextToken();
            if (!metadata) {
                json.skipChildren();
                continue;
            }
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean wanted = json.currentName().equals("uid");
                json.nextToken();
                if (wanted) {
                    uid = json.getText();
                } else {
                    json.skipChildren();
                }
            }
        }
        return uid;
    }
}
