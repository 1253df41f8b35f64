package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.request.QueryParameters;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.RequestBody;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.status.ApiError;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * The {@code DeleteOptions} of a request.
 *
 * @param gracePeriodSeconds empty for the grace period of the object
 * @param uid precondition: the UID of the object to delete
 * @param resourceVersion precondition: the resource version of the object to delete
 */
record DeleteOptions(
        OptionalLong gracePeriodSeconds, Optional<String> uid, Optional<String> resourceVersion, boolean dryRun) {

    static DeleteOptions of(RecordedRequest request) {
        ObjectNode body = RequestBody.options(request);
        DeleteOptions options = of(body);
        OptionalLong grace = options.gracePeriodSeconds().isPresent()
                ? options.gracePeriodSeconds()
                : QueryParameters.number(request, "gracePeriodSeconds");
        boolean dryRun = options.dryRun() || request.parameter("dryRun").isPresent();
        return new DeleteOptions(grace, options.uid(), options.resourceVersion(), dryRun);
    }

    static DeleteOptions of(JsonNode body) {
        JsonNode grace = body.path("gracePeriodSeconds");
        JsonNode preconditions = body.path("preconditions");
        return new DeleteOptions(
                grace.isIntegralNumber() ? OptionalLong.of(grace.asLong()) : OptionalLong.empty(),
                text(preconditions.path("uid")),
                text(preconditions.path("resourceVersion")),
                !body.path("dryRun").isEmpty());
    }

    private static Optional<String> text(JsonNode node) {
        return Optional.of(node.asText()).filter(value -> !value.isEmpty());
    }

    /** @throws ApiError with status 409 if the object does not meet the preconditions */
    void check(ResourceType type, ObjectMeta present) {
        if (uid.isPresent() && !uid.get().equals(present.uid())) {
            throw ApiError.conflict(
                    type,
                    type.kind(),
                    present.name(),
                    ("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been"
                                    + " deleted and then recreated")
                            .formatted(uid.get(), present.uid()));
        }
        if (resourceVersion.isPresent() && !resourceVersion.get().equals(present.resourceVersion())) {
            throw ApiError.conflict(
                    type,
                    type.kind(),
                    present.name(),
                    ("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s)."
                                    + " The object might have been modified")
                            .formatted(resourceVersion.get(), present.resourceVersion()));
        }
    }
}
