package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;

import java.io.IOException;
import java.util.Optional;

/** The Status object that an ERROR event of a watch carries. */
final class WatchError {

    private WatchError() {}

    static ApiException read(JsonParser json) throws IOException {
        int code = 500;
        String message = "";
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String field = json.currentName();
            json.nextToken();
            switch (field) {
                case "code" -> code = json.getIntValue();
                case "message" -> message = json.getText();
                default -> json.skipChildren();
            }
        }
        if (json.currentToken() != JsonToken.END_OBJECT) {
            throw new IOException("malformed watch event: the error is no object");
        }
        return new ApiException(
                code,
                "the API server ended the watch: status=%d message='%s'".formatted(code, message),
                Optional.empty());
    }
}
