package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.ApiError.Cause;
import io.numaledger.simulator.apiserver.fields.ApplyConflict;
import io.numaledger.simulator.apiserver.fields.FieldOwnership;
import io.numaledger.simulator.apiserver.patch.JsonMergePatch;
import io.numaledger.simulator.apiserver.patch.JsonPatch;
import io.numaledger.simulator.apiserver.patch.PatchFailure;
import io.numaledger.simulator.apiserver.patch.StrategicMergePatch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The body of a PATCH, read by its media type. */
record Patch(Write write, Format format, JsonNode body) {

    /** The four ways to say what should change. */
    enum Format {
        JSON("application/json-patch+json"),
        JSON_MERGE("application/merge-patch+json"),
        STRATEGIC_MERGE("application/strategic-merge-patch+json"),
        APPLY("application/apply-patch+yaml");

        private final String mediaType;

        Format(String mediaType) {
            this.mediaType = mediaType;
        }

        String mediaType() {
            return mediaType;
        }

        /** A custom resource has no merge keys that a strategic merge patch could go by. */
        boolean isFor(ResourceType type) {
            return this != STRATEGIC_MERGE || !type.isCustom();
        }
    }

    static Patch of(Write write) {
        Format format = format(write);
        checkOptions(write, format);
        JsonNode body = parse(format, write.request());
        boolean list = format == Format.JSON;
        if (list ? !body.isArray() : !body.isObject()) {
            throw ApiError.badRequest("error decoding patch: json: cannot unmarshal %s into Go value of type %s"
                    .formatted(
                            body.isArray() ? "array" : "object", list ? "jsonpatch.Patch" : "map[string]interface {}"));
        }
        Patch patch = new Patch(write, format, body);
        if (patch.isApply()) {
            patch.checkIntent();
        }
        return patch;
    }

    boolean isApply() {
        return format == Format.APPLY;
    }

    /** The object as the applier wants it. */
    ObjectNode intent() {
        return (ObjectNode) body;
    }

    ObjectNode applyTo(ObjectNode object, String now) {
        return switch (format) {
            case JSON -> applyJsonPatch(object);
            case JSON_MERGE -> (ObjectNode) JsonMergePatch.apply(object, body);
            case STRATEGIC_MERGE -> StrategicMergePatch.apply(object, intent());
            case APPLY -> applyIntent(object, now);
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

    private ObjectNode applyIntent(ObjectNode object, String now) {
        boolean force = write.request().isTrue("force");
        try {
            return new FieldOwnership(write.type().listKeys(), write.unrecorded())
                    .apply(object, intent(), write.manager(true), force, now);
        } catch (ApplyConflict e) {
            throw ApiError.applyConflict(e);
        }
    }

    private void checkIntent() {
        Target target = write.target();
        String version = body.path("apiVersion").asText();
        String kind = body.path("kind").asText();
        if (!version.equals(target.apiVersion()) || !kind.equals(target.type().kind())) {
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

    private static Format format(Write write) {
        String type = RequestBody.mediaType(write.request());
        List<String> accepted = new ArrayList<>();
        for (Format format : Format.values()) {
            if (format.isFor(write.type())) {
                if (format.mediaType.equals(type)) {
                    return format;
                }
                accepted.add(format.mediaType);
            }
        }
        throw write.type().isCustom()
                ? ApiError.unsupportedMediaType(accepted)
                : ApiError.of(415, "UnsupportedMediaType", "415: Unsupported Media Type");
    }

    private static void checkOptions(Write write, Format format) {
        boolean named = write.request().parameter("fieldManager").isPresent();
        if (format == Format.APPLY && !named) {
            throw ApiError.invalidOptions(
                    "PatchOptions",
                    new Cause("FieldValueRequired", "fieldManager", "Required value: is required for apply patch"));
        }
        if (format != Format.APPLY && write.request().parameter("force").isPresent()) {
            throw ApiError.invalidOptions(
                    "PatchOptions", Cause.forbidden("force", "may not be specified for non-apply patch"));
        }
    }

    private static JsonNode parse(Format format, RecordedRequest request) {
        byte[] text = request.body().getBytes(StandardCharsets.UTF_8);
        try {
            return format == Format.APPLY ? JsonText.parseYaml(text) : JsonText.parseJson(text);
        } catch (IOException e) {
            throw ApiError.badRequest("error decoding patch: " + e.getMessage());
        }
    }
}
