package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Base64;

/**
 * Where a list in pieces goes on.
 *
 * @param revision at which the whole list is read
 * @param after the path of the last object that was sent
 */
record ContinueToken(long revision, String after) {

    static ContinueToken parse(String text) {
        try {
            JsonNode token = JsonText.parseJson(Base64.getUrlDecoder().decode(text));
            if (!token.path("rv").isIntegralNumber() || !token.path("start").isTextual()) {
                throw ApiError.badRequest("invalid continue token: continue key is not valid: " + text);
            }
            return new ContinueToken(
                    token.path("rv").asLong(), token.path("start").asText());
        } catch (IOException | IllegalArgumentException e) {
            throw ApiError.badRequest("invalid continue token: continue key is not valid: " + e.getMessage());
        }
    }

    String text() {
        ObjectNode token =
                JsonText.object().put("v", "meta.k8s.io/v1").put("rv", revision).put("start", after);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(JsonText.write(token));
    }
}
