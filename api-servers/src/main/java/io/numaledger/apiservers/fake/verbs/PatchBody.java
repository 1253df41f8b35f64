package io.numaledger.apiservers.fake.verbs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.apply.FieldOwnership;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.patch.JsonMergePatch;
import io.numaledger.apiservers.fake.patch.JsonPatch;
import io.numaledger.apiservers.fake.patch.PatchFailure;
import io.numaledger.apiservers.fake.patch.PatchFormat;
import io.numaledger.apiservers.fake.patch.StrategicMergePatch;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.RequestBody;
import io.numaledger.apiservers.fake.request.Target;
import io.numaledger.apiservers.fake.status.ApiError;
import io.numaledger.apiservers.fake.status.FieldError;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The parsed body of a PATCH request. */
record PatchBody(WriteRequest write, PatchFormat format, JsonNode body) {

    static PatchBody of(WriteRequest write) {
        PatchFormat format = format(write);
        checkOptions(write, format);
        JsonNode body = parse(format, write.request());
        boolean list = format == PatchFormat.JSON;
        if (list ? !body.isArray() : !body.isObject()) {
            throw ApiError.badRequest("error decoding patch: json: cannot unmarshal %s into Go value of type %s"
                    .formatted(
                            body.isArray() ? "array" : "object", list ? "jsonpatch.Patch" : "map[string]interface {}"));
        }
        PatchBody patch = new PatchBody(write, format, body);
        if (patch.isApply()) {
            patch.checkIntent();
        }
        return patch;
    }

    boolean isApply() {
        return format == PatchFormat.APPLY;
    }

    /** The applied configuration of a server-side apply. */
    ObjectNode intent() {
        return (ObjectNode) body;
    }

    ObjectNode applyTo(ObjectNode object, String now) {
        return switch (format) {
            case JSON -> applyJsonPatch(object);
            case JSON_MERGE -> (ObjectNode) JsonMergePatch.apply(object, body);
            case STRATEGIC_MERGE -> StrategicMergePatch.apply(object, intent());
            case APPLY -> FieldOwnership.apply(object, intent(), write.manager(true, now));
        };
    }

    private ObjectNode applyJsonPatch(ObjectNode object) {
        try {
            if (JsonPatch.apply(object, body) instanceof ObjectNode patched) {
                return patched;
            }
            throw ApiError.rejectedPatch();
        } catch (PatchFailure e) {
            throw ApiError.rejectedPatch();
        }
    }

    private void checkIntent() {
        Target target = write.target();
        String version = body.path("apiVersion").asText();
        String kind = body.path("kind").asText();
        if (!version.equals(target.type().apiVersion())
                || !kind.equals(target.type().kind())) {
            throw ApiError.badRequest(
                    "invalid object type: %s, Kind=%s".formatted(version.isEmpty() ? "/" : version, kind));
        }
        if (!body.path("metadata").path("managedFields").isMissingNode()) {
            throw ApiError.badRequest("metadata.managedFields must be nil");
        }
        String name = body.path("metadata").path("name").asText();
        if (!name.equals(target.name())) {
            throw ApiError.badRequest("the name of the object (%s) does not match the name on the URL (%s)"
                    .formatted(name, target.name()));
        }
    }

    private static PatchFormat format(WriteRequest write) {
        String type = RequestBody.mediaType(write.request());
        List<String> accepted = new ArrayList<>();
        for (PatchFormat format : PatchFormat.values()) {
            if (format.isFor(write.type())) {
                if (format.mediaType().equals(type)) {
                    return format;
                }
                accepted.add(format.mediaType());
            }
        }
        throw write.type().custom()
                ? ApiError.unsupportedMediaType(accepted)
                : ApiError.of(415, "UnsupportedMediaType", "415: Unsupported Media Type");
    }

    private static void checkOptions(WriteRequest write, PatchFormat format) {
        boolean named = write.request().parameter("fieldManager").isPresent();
        if (format == PatchFormat.APPLY && !named) {
            throw ApiError.invalidOptions(
                    "PatchOptions", FieldError.required("fieldManager", "is required for apply patch"));
        }
        if (format == PatchFormat.APPLY && !write.request().isTrue("force")) {
            throw ApiError.badRequest(
                    "the server in memory knows no conflicts of managers: force=false; set force=true");
        }
    }

    private static JsonNode parse(PatchFormat format, RecordedRequest request) {
        byte[] text = request.body().getBytes(StandardCharsets.UTF_8);
        try {
            return format == PatchFormat.APPLY ? JsonText.parseYaml(text) : JsonText.parseJson(text);
        } catch (IOException e) {
            throw ApiError.badRequest("error decoding patch: " + e.getMessage());
        }
    }
}
