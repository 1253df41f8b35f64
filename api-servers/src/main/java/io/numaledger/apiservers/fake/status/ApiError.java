package io.numaledger.apiservers.fake.status;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.resource.ResourceType;

import java.util.List;
import java.util.stream.Collectors;

/** A refused request, as HTTP status code and {@code Status} object. The messages are those of kube-apiserver. */
public final class ApiError extends RuntimeException {

    private final int code;
    private final String reason;
    private final transient ObjectNode details;

    private ApiError(int code, String reason, String message, ObjectNode details) {
        super(message);
        this.code = code;
        this.reason = reason;
        this.details = details;
    }

    public int code() {
        return code;
    }

    String reason() {
        return reason;
    }

    public ObjectNode toStatus() {
        ObjectNode status = StatusObject.failure().put("message", getMessage());
        if (!reason.isEmpty()) {
            status.put("reason", reason);
        }
        if (!details.isEmpty()) {
            status.set("details", details);
        }
        return status.put("code", code);
    }

    public static ApiError of(int code, String reason, String message) {
        return new ApiError(code, reason, message, JsonText.object());
    }

    public static ApiError badRequest(String message) {
        return of(400, "BadRequest", message);
    }

    public static ApiError unknownPath() {
        return of(404, "NotFound", "the server could not find the requested resource");
    }

    public static ApiError methodNotAllowed() {
        return of(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");
    }

    public static ApiError unsupportedMediaType(List<String> accepted) {
        return of(
                415,
                "UnsupportedMediaType",
                "the body of the request was in an unknown format - accepted media types include: "
                        + String.join(", ", accepted));
    }

    public static ApiError expired(String message) {
        return of(410, "Expired", message);
    }

    public static ApiError resourceVersionTooLarge(long asked, long current) {
        ObjectNode details = JsonText.object();
        details.putArray("causes")
                .addObject()
                .put("reason", "ResourceVersionTooLarge")
                .put("message", "Too large resource version");
        details.put("retryAfterSeconds", 1);
        String message = "Timeout: Too large resource version: %d, current: %d".formatted(asked, current);
        return new ApiError(504, "Timeout", message, details);
    }

    public static ApiError notFound(ResourceType type, String name) {
        return about(404, "NotFound", type, name, "%s \"%s\" not found".formatted(type.qualifiedName(), name));
    }

    public static ApiError alreadyExists(ResourceType type, String name) {
        return about(
                409, "AlreadyExists", type, name, "%s \"%s\" already exists".formatted(type.qualifiedName(), name));
    }

    public static ApiError modified(ResourceType type, String name) {
        return conflict(
                type,
                type.plural(),
                name,
                "the object has been modified; please apply your changes to the latest version and try again");
    }

    public static ApiError conflict(ResourceType type, String shownAs, String name, String why) {
        String qualified = type.group().isEmpty() ? shownAs : shownAs + "." + type.group();
        ObjectNode details = details(type, name).put("kind", shownAs);
        String message = "Operation cannot be fulfilled on %s \"%s\": %s".formatted(qualified, name, why);
        return new ApiError(409, "Conflict", message, details);
    }

    public static ApiError invalid(ResourceType type, String name, List<FieldError> causes) {
        return invalid(type, type.kind(), name, causes);
    }

    /** As {@link #invalid(ResourceType, String, List)}, with {@code shownAs} in place of the kind. */
    public static ApiError invalid(ResourceType type, String shownAs, String name, List<FieldError> causes) {
        String kind = type.group().isEmpty() ? shownAs : shownAs + "." + type.group();
        ObjectNode details = details(type, name).put("kind", shownAs);
        return withCauses(kind, name, details, causes);
    }

    /** Invalid options of a request, such as {@code PatchOptions}. */
    public static ApiError invalidOptions(String kind, FieldError cause) {
        ObjectNode details = JsonText.object().put("group", "meta.k8s.io").put("kind", kind);
        return withCauses(kind + ".meta.k8s.io", "", details, List.of(cause));
    }

    public static ApiError invalidPatch(FieldError cause) {
        return withCauses("", "", JsonText.object(), List.of(cause));
    }

    public static ApiError rejectedPatch() {
        return of(422, "Invalid", "the server rejected our request due to an error in our request");
    }

    private static ApiError withCauses(String kind, String name, ObjectNode details, List<FieldError> causes) {
        details.set("causes", causes(causes));
        String all = causes.stream()
                .map(each -> each.field() + ": " + each.message())
                .distinct()
                .collect(Collectors.joining(", "));
        boolean several = all.contains(", ") && causes.stream().distinct().count() > 1;
        String message = "%s \"%s\" is invalid: %s".formatted(kind, name, several ? "[" + all + "]" : all);
        return new ApiError(422, "Invalid", message, details);
    }

    private static ArrayNode causes(List<FieldError> errors) {
        ArrayNode causes = JsonNodeFactory.instance.arrayNode();
        errors.forEach(each -> causes.addObject()
                .put("reason", each.reason())
                .put("message", each.message())
                .put("field", each.field()));
        return causes;
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
