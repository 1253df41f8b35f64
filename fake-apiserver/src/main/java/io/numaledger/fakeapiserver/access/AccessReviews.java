package io.numaledger.fakeapiserver.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.request.RecordedRequest;
import io.numaledger.fakeapiserver.request.RequestBody;
import io.numaledger.fakeapiserver.request.Response;
import io.numaledger.fakeapiserver.request.Target;
import io.numaledger.fakeapiserver.status.ApiError;

/** Answers {@code SelfSubjectAccessReview}, and refuses requests that the access rules deny. */
public final class AccessReviews {

    public static final String PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

    private final AccessRules rules;

    public AccessReviews(AccessRules rules) {
        this.rules = rules;
    }

    public Response review(RecordedRequest request) {
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
        return new Response.Json(201, review);
    }

    /** @throws ApiError with status 403 if the user is not allowed to do this */
    public void check(Target target, RecordedRequest request, String verb) {
        AccessRules.Action action = new AccessRules.Action(
                request.user(), verb, target.type().group(), target.resource(), target.namespace(), target.name());
        if (!rules.allows(action)) {
            throw ApiError.forbidden(target.type(), target.name(), action.refusal());
        }
    }
}
