package io.numaledger.apiservers.fake.request;

import com.fasterxml.jackson.databind.JsonNode;

import java.io.IOException;
import java.io.OutputStream;

/** The answer to a request. */
public sealed interface Response {

    record Json(int code, JsonNode body) implements Response {

        public static Json ok(JsonNode body) {
            return new Json(200, body);
        }
    }

    record Text(String body) implements Response {}

    /** A response of unknown length, such as the events of a watch. */
    record Stream(Events events) implements Response {}

    /** Writes events until the stream ends. */
    interface Events {

        /** Returns normally only if the stream ends as it should. */
        void writeTo(OutputStream out) throws IOException, InterruptedException;
    }
}
