package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Answers users who ask what they may do, and refuses what they may not. */
final class AccessReviews {

    static final String PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

    private final AccessRules rules;

    AccessReviews(AccessRules rules) {
        this.rules = rules;
    }

    Answer review(RecordedRequest request) {
        ObjectNode review = RequestBody.options(request).deepCopy();
        JsonNode asked = review.path("spec").path("resourceAttributes");
        String subresource = asked.path("subresource").asText();
        String resource = asked.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource);
        AccessRules.Action action = new AccessRules.Action(
                request.user(),
                asked.path("verb").asText(),
                asked.path("group").asText(),
                resource,
                asked.path("namespace").asText(),
                asked.path("name").asText());
        review.put("kind", "SelfSubjectAccessReview").put("apiVersion", "authorization.k8s.io/v1");
        review.putObject("status").put("allowed", asked.isMissingNode() || rules.allows(action));
        return new Answer.Json(201, review);
    }

    /** @throws ApiError if the user may not do this */
    void check(Target target, RecordedRequest request, String verb) {
        AccessRules.Action action = new AccessRules.Action(
                request.user(), verb, target.type().group(), target.resource(), target.namespace(), target.name());
        if (!rules.allows(action)) {
            throw ApiError.forbidden(target.type(), target.name(), action.refusal());
        }
    }
}
