package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;

/** What a request is answered with. */
sealed interface Answer {

    record Json(int code, JsonNode body) implements Answer {

        static Json ok(JsonNode body) {
            return new Json(200, body);
        }
    }

    record Text(String body) implements Answer {}

    record Stream(WatchStream events) implements Answer {}
}
