package io.numaledger.fakeapiserver.discovery;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonText;
import io.numaledger.fakeapiserver.patch.PatchFormat;
import io.numaledger.fakeapiserver.request.Response;
import io.numaledger.fakeapiserver.resource.ResourceCatalog;
import io.numaledger.fakeapiserver.resource.ResourceType;

import java.util.List;
import java.util.Optional;

/**
 * The part of the OpenAPI v3 documents that tells kubectl that the server validates fields: for each kind, PATCH has the
 * parameter {@code fieldValidation}.
 */
final class OpenApi {

    private final ResourceCatalog catalog;

    OpenApi(ResourceCatalog catalog) {
        this.catalog = catalog;
    }

    /** @param parts the segments of the path; the first is {@code openapi} */
    Optional<Response> answer(List<String> parts) {
        if (parts.size() < 2 || !parts.get(1).equals("v3")) {
            return Optional.empty();
        }
        List<String> rest = parts.subList(2, parts.size());
        if (rest.isEmpty()) {
            return Optional.of(Response.Json.ok(index()));
        }
        boolean core = rest.size() == 2 && rest.get(0).equals("api");
        boolean grouped = rest.size() == 3 && rest.get(0).equals("apis");
        if (!core && !grouped) {
            return Optional.empty();
        }
        String group = core ? "" : rest.get(1);
        return Optional.of(Response.Json.ok(document(group, rest.get(rest.size() - 1))));
    }

    private ObjectNode index() {
        ObjectNode index = JsonText.object();
        ObjectNode paths = index.putObject("paths");
        for (ResourceType type : catalog.all()) {
            for (String version : type.versions()) {
                String path = path(type.group(), version);
                paths.putObject(path).put("serverRelativeURL", "/openapi/v3/" + path);
            }
        }
        return index;
    }

    private ObjectNode document(String group, String version) {
        ObjectNode document = JsonText.object().put("openapi", "3.0.0");
        document.putObject("info").put("title", "Kubernetes").put("version", Discovery.VERSION);
        ObjectNode paths = document.putObject("paths");
        for (ResourceType type : catalog.in(group, version)) {
            String namespace = type.namespaced() ? "/namespaces/{namespace}" : "";
            String path = "/%s%s/%s/{name}".formatted(path(group, version), namespace, type.plural());
            paths.putObject(path).set("patch", patch(type, version));
        }
        document.putObject("components").putObject("schemas");
        return document;
    }

    private static ObjectNode patch(ResourceType type, String version) {
        ObjectNode patch = JsonText.object();
        patch.putArray("parameters").addObject().put("name", "fieldValidation").put("in", "query");
        ObjectNode content = patch.putObject("requestBody").putObject("content");
        for (PatchFormat format : PatchFormat.values()) {
            if (format.isFor(type)) {
                content.putObject(format.mediaType());
            }
        }
        patch.putObject("x-kubernetes-group-version-kind")
                .put("group", type.group())
                .put("version", version)
                .put("kind", type.kind());
        return patch;
    }

    private static String path(String group, String version) {
        return group.isEmpty() ? "api/" + version : "apis/" + group + "/" + version;
    }
}
