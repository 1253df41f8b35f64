package io.numaledger.apiservers.fake.request;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Parses the body of a request: an object of the kind of the target, or options. */
public final class RequestBody {

    private static final List<String> ACCEPTED = List.of("application/json", "application/yaml");

    private RequestBody() {}

    /** The media type without parameters; JSON by default. */
    public static String mediaType(RecordedRequest request) {
        String type = request.contentType().split(";", -1)[0].strip().toLowerCase(Locale.ROOT);
        return type.isEmpty() ? "application/json" : type;
    }

    /** Parses an object. Kind and version of a built-in object default to those of the target. */
    public static ObjectNode object(Target target, RecordedRequest request) {
        String kind = target.type().kind();
        JsonNode body = parse(request, "the object provided is unrecognized (must be of type %s): ".formatted(kind));
        if (!(body instanceof ObjectNode object)) {
            throw ApiError.badRequest(
                    "the object provided is unrecognized (must be of type %s): %s".formatted(kind, request.body()));
        }
        if (target.type().custom() && !object.hasNonNull("kind")) {
            throw ApiError.badRequest(
                    "the object provided is unrecognized (must be of type %s): Object 'Kind' is missing in '%s'"
                            .formatted(kind, request.body()));
        }
        checkKind(target, object);
        return identified(target, object);
    }

    /** Parses options; an empty body is an empty object. */
    public static ObjectNode options(RecordedRequest request) {
        if (request.body().isBlank()) {
            return JsonText.object();
        }
        JsonNode body = parse(request, "");
        return body instanceof ObjectNode object ? object : JsonText.object();
    }

    /** Puts kind and version first, as kube-apiserver does. */
    private static ObjectNode identified(Target target, ObjectNode object) {
        ObjectNode result = JsonText.object()
                .put("kind", target.type().kind())
                .put("apiVersion", target.type().apiVersion());
        object.remove(List.of("kind", "apiVersion"));
        return result.setAll(object);
    }

    private static void checkKind(Target target, ObjectNode object) {
        String version = object.path("apiVersion").asText();
        String expected = target.type().apiVersion();
        if (!version.isEmpty() && !version.equals(expected)) {
            throw ApiError.badRequest("the API version in the data (%s) does not match the expected API version (%s)"
                    .formatted(version, expected));
        }
        String kind = object.path("kind").asText();
        String wanted = target.type().kind();
        if (!kind.isEmpty() && !kind.equals(wanted)) {
            if (target.type().custom()) {
                FieldError other = FieldError.invalid("kind", "\"" + kind + "\"", "must be " + wanted);
                throw ApiError.invalid(
                        target.type(), kind, ObjectMeta.read(object).name(), List.of(other));
            }
            throw ApiError.badRequest(
                    "%s in version \"%s\" cannot be handled as a %s: converting (%s.%s) to (core.%s): unknown conversion"
                            .formatted(kind, version, wanted, version, kind, wanted));
        }
    }

    private static JsonNode parse(RecordedRequest request, String prefix) {
        if (!ACCEPTED.contains(mediaType(request))) {
            throw ApiError.unsupportedMediaType(ACCEPTED);
        }
        byte[] text = request.body().getBytes(StandardCharsets.UTF_8);
        try {
            return mediaType(request).endsWith("yaml") ? JsonText.parseYaml(text) : JsonText.parseJson(text);
        } catch (JsonProcessingException e) {
            throw ApiError.badRequest(
                    "%scouldn't get version/kind; json parse error: %s".formatted(prefix, e.getOriginalMessage()));
        } catch (IOException e) {
            throw ApiError.badRequest(prefix + e.getMessage());
        }
    }
}
