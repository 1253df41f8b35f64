package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.status.ApiError;

import java.io.IOException;
import java.util.Base64;

/**
 * The continue token of a paged list.
 *
 * @param revision the revision of all pages
 * @param after the path of the last object of the previous page
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
