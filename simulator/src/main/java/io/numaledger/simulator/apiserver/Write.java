package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.fields.FieldManager;

import java.util.List;
import java.util.Locale;

/**
 * One request that writes, and in whose name.
 *
 * @param dryRun true if nothing is to be stored
 */
record Write(Target target, RecordedRequest request, boolean dryRun) {

    private static final int NAME_LIMIT = 128;

    static Write of(Target target, RecordedRequest request) {
        return new Write(target, request, request.parameter("dryRun").isPresent());
    }

    ResourceType type() {
        return target.type();
    }

    private boolean strict() {
        return request.parameter("fieldValidation")
                .orElse("")
                .toLowerCase(Locale.ROOT)
                .equals("strict");
    }

    /** The named field manager; for an update else the first word of the user agent, as in the real server. */
    FieldManager manager(boolean apply) {
        String agent = request.userAgent().split("/", -1)[0];
        String named = request.parameter("fieldManager").orElse(agent.isEmpty() ? "unknown" : agent);
        String name = named.length() > NAME_LIMIT ? named.substring(0, NAME_LIMIT) : named;
        return new FieldManager(name, apply, target.apiVersion(), target.subresource());
    }

    /** What a write of this target never changes, so nobody owns it through one. */
    String unrecorded() {
        if (!type().hasStatus()) {
            return "";
        }
        return target.subresource().equals("status") ? "spec" : "status";
    }

    /** A copy of the object in the version that is stored, without fields that its kind does not have. */
    ObjectNode admitted(ObjectNode given) {
        ObjectNode object = given.deepCopy();
        ObjectChecks.notAString(object).ifPresent(problem -> {
            throw undecodable(problem);
        });
        List<String> unknown = target.type()
                .schema(target.version())
                .map(schema -> schema.prune(object))
                .orElse(List.of());
        if (strict() && !unknown.isEmpty()) {
            throw undecodable("strict decoding error: "
                    + String.join(
                            ", ",
                            unknown.stream()
                                    .map("unknown field \"%s\""::formatted)
                                    .toList()));
        }
        object.put("apiVersion", target.type().apiVersion(target.type().storageVersion()));
        return object;
    }

    /** A body that is no object of the kind: a bad request, or a patch that makes the object invalid. */
    private ApiError undecodable(String problem) {
        if (request.method().equals("PATCH")) {
            ApiError.Cause cause = new ApiError.Cause("FieldValueInvalid", "patch", "Invalid value: " + problem);
            return ApiError.invalidPatch(cause);
        }
        String kind = type().kind();
        return ApiError.badRequest(
                "%s in version \"%s\" cannot be handled as a %s: %s".formatted(kind, target.version(), kind, problem));
    }
}
