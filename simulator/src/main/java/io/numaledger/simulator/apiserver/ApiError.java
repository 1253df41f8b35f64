package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.fields.ApplyConflict;

import java.util.List;
import java.util.stream.Collectors;

/** A request that the API server refuses, as the Status object that answers it. The sentences are the real server's. */
final class ApiError extends RuntimeException {

    /** What is wrong with one field of an object. */
    record Cause(String reason, String field, String message) {

        static Cause required(String field) {
            return new Cause("FieldValueRequired", field, "Required value");
        }

        static Cause invalid(String field, String shownValue, String rule) {
            return new Cause("FieldValueInvalid", field, "Invalid value: %s: %s".formatted(shownValue, rule));
        }

        static Cause forbidden(String field, String rule) {
            return new Cause("FieldValueForbidden", field, "Forbidden: " + rule);
        }
    }

    private final int code;
    private final String reason;
    private final transient ObjectNode details;

    private ApiError(int code, String reason, String message, ObjectNode details) {
        super(message);
        this.code = code;
        this.reason = reason;
        this.details = details;
    }

    int code() {
        return code;
    }

    String reason() {
        return reason;
    }

    ObjectNode toStatus() {
        ObjectNode status =
                JsonText.object().put("kind", "Status").put("apiVersion", "v1").set("metadata", JsonText.object());
        status.put("status", "Failure").put("message", getMessage());
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        if (!details.isEmpty()) {
            status.set("details", details);
        }
        return status.put("code", code);
    }

    static ApiError of(int code, String reason, String message) {
        return new ApiError(code, reason, message, JsonText.object());
    }

    static ApiError badRequest(String message) {
        return of(400, "BadRequest", message);
    }

    static ApiError unknownPath() {
        return of(404, "NotFound", "the server could not find the requested resource");
    }

    static ApiError methodNotAllowed() {
        return of(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    }

    static ApiError unsupportedMediaType(List<String> accepted) {
        return of(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: "
                        + String.join(", ", accepted));
    }

    static ApiError expired(String message) {
        return of(410, "Expired", message);
    }

    static ApiError resourceVersionTooLarge(long asked, long current) {
        ObjectNode details = JsonText.object();
        details.putArray("causes")
                .addObject()
                .put("reason", "ResourceVersionTooLarge")
                .put("message", "Too large resource version");
        details.put("retryAfterSeconds", 1);
        String message = "Timeout: Too large resource version: %d, current: %d".formatted(asked, current);
        return new ApiError(504, "Timeout", message, details);
    }

    static ApiError notFound(ResourceType type, String name) {
        return about(404, "NotFound", type, name, "%s \"%s\" not found".formatted(type.qualifiedName(), name));
    }

    static ApiError alreadyExists(ResourceType type, String name) {
        return about(
                409, "AlreadyExists", type, name, "%s \"%s\" already exists".formatted(type.qualifiedName(), name));
    }

    static ApiError modified(ResourceType type, String name) {
        return conflict(
                type,
                type.plural(),
                name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    static ApiError conflict(ResourceType type, String shownAs, String name, String why) {
        String qualified = type.group().isEmpty() ? shownAs : shownAs + "." + type.group();
        ObjectNode details = details(type, name).put("kind", shownAs);
        String message = "Operation cannot be fulfilled on %s \"%s\": %s".formatted(qualified, name, why);
        return new ApiError(409, "Conflict", message, details);
    }

    static ApiError forbidden(ResourceType type, String name, String why) {
        String object = name.isEmpty() ? "" : " \"" + name + "\"";
        return about(
                403, "Forbidden", type, name, "%s%s is forbidden: %s".formatted(type.qualifiedName(), object, why));
    }

    static ApiError invalid(ResourceType type, String name, List<Cause> causes) {
        return invalid(type, type.kind(), name, causes);
    }

    /** As {@link #invalid(ResourceType, String, List)}, with another word for the kind. */
    static ApiError invalid(ResourceType type, String shownAs, String name, List<Cause> causes) {
        String kind = type.group().isEmpty() ? shownAs : shownAs + "." + type.group();
        ObjectNode details = details(type, name).put("kind", shownAs);
        return withCauses(kind, name, details, causes);
    }

    /** Options of a request, such as PatchOptions, that contradict each other. */
    static ApiError invalidOptions(String kind, Cause cause) {
        ObjectNode details = JsonText.object().put("group", "meta.k8s.io").put("kind", kind);
        return withCauses(kind + ".meta.k8s.io", "", details, List.of(cause));
    }

    static ApiError invalidPatch(Cause cause) {
        return withCauses("", "", JsonText.object(), List.of(cause));
    }

    static ApiError rejectedPatch() {
        return of(422, "Invalid", "the server rejected our request due to an error in our request");
    }

    static ApiError applyConflict(ApplyConflict conflict) {
        ObjectNode details = JsonText.object();
        ArrayNode causes = details.putArray("causes");
        conflict.fields()
                .forEach(each -> causes.addObject()
                        .put("reason", "FieldManagerConflict")
                        .put("message", each.message())
                        .put("field", each.path()));
        return new ApiError(409, "Conflict", conflict.getMessage(), details);
    }

    private static ApiError withCauses(String kind, String name, ObjectNode details, List<Cause> causes) {
        ArrayNode listed = details.putArray("causes");
        causes.forEach(each -> listed.addObject()
                .put("reason", each.reason())
                .put("message", each.message())
                .put("field", each.field()));
        String all = causes.stream()
                .map(each -> each.field() + ": " + each.message())
                .distinct()
                .collect(Collectors.joining(", "));
        boolean several = all.contains(", ") && causes.stream().distinct().count() > 1;
        String message = "%s \"%s\" is invalid: %s".formatted(kind, name, several ? "[" + all + "]" : all);
        return new ApiError(422, "Invalid", message, details);
    }

    private static ApiError about(int code, String reason, ResourceType type, String name, String message) {
        return new ApiError(code, reason, message, details(type, name));
    }

    private static ObjectNode details(ResourceType type, String name) {
        ObjectNode details = JsonText.object();
        if (!name.isEmpty()) {
            details.put("name", name);
        }
        if (!type.group().isEmpty()) {
            details.put("group", type.group());
        }
        return details.put("kind", type.plural());
    }
}
