package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.apply.FieldManager;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.rules.MetadataChecks;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;

/**
 * A create, update or patch request.
 *
 * @param dryRun whether the result is not stored
 */
record WriteRequest(Target target, RecordedRequest request, boolean dryRun) {

    private static final int NAME_LIMIT = 128;

    static WriteRequest of(Target target, RecordedRequest request) {
        return new WriteRequest(target, request, request.parameter("dryRun").isPresent());
    }

    ResourceType type() {
        return target.type();
    }

    /** The field manager: the parameter {@code fieldManager}, else the first word of the user agent. */
    FieldManager manager(boolean apply, String now) {
        String agent = request.userAgent().split("/", -1)[0];
        String named = request.parameter("fieldManager").orElse(agent.isEmpty() ? "unknown" : agent);
        String name = named.length() > NAME_LIMIT ? named.substring(0, NAME_LIMIT) : named;
        return new FieldManager(name, apply, type().apiVersion(), now);
    }

    /** A copy of the object. */
    ObjectNode admitted(ObjectNode given) {
        MetadataChecks.notAString(given).ifPresent(problem -> {
            throw undecodable(problem);
        });
        return given.deepCopy();
    }

    /** The error for an object that cannot be decoded, in the form of the request or of a patch. */
    private ApiError undecodable(String problem) {
        if (request.method().equals("PATCH")) {
            FieldError cause = new FieldError("FieldValueInvalid", "patch", "Invalid value: " + problem);
            return ApiError.invalidPatch(cause);
        }
        String kind = type().kind();
        return ApiError.badRequest(
                "%s in version \"%s\" cannot be handled as a %s: %s".formatted(kind, type().version(), kind, problem));
    }
}
