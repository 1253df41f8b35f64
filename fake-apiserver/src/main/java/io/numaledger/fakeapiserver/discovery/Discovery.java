package io.numaledger.fakeapiserver.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonText;
import io.numaledger.fakeapiserver.request.Response;
import io.numaledger.fakeapiserver.resource.ResourceCatalog;
import io.numaledger.fakeapiserver.resource.ResourceType;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Responses for discovery, version and health paths. */
public final class Discovery {

    /** The Kubernetes release whose behaviour this server follows. */
    static final String VERSION = "v1.36.3";

    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private static final Set<String> IN_CATEGORY_ALL = Set.of("pods", "services");

    private final ResourceCatalog catalog;

    public Discovery(ResourceCatalog catalog) {
        this.catalog = catalog;
    }

    /** The response for a path; empty for an unknown path. */
    public Optional<Response> answer(String path) {
        List<String> parts =
                Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
        if (parts.isEmpty()) {
            return Optional.empty();
        }
        return switch (parts.get(0)) {
            case "healthz", "readyz", "livez" -> Optional.of(new Response.Text("ok"));
            case "version" -> json(version());
            case "api" -> parts.size() == 1 ? json(coreVersions()) : resources("", parts.subList(1, parts.size()));
            case "apis" -> groups(parts.subList(1, parts.size()));
            default -> Optional.empty();
        };
    }

    private Optional<Response> groups(List<String> rest) {
        if (rest.isEmpty()) {
            ObjectNode list = JsonText.object().put("kind", "APIGroupList").put("apiVersion", "v1");
            ArrayNode groups = list.putArray("groups");
            catalog.groups().forEach(group -> groups.add(group(group, catalog.versions(group))));
            return json(list);
        }
        String name = rest.get(0);
        List<String> versions = catalog.versions(name);
        if (versions.isEmpty()) {
            return Optional.empty();
        }
        if (rest.size() == 1) {
            ObjectNode group = group(name, versions);
            return json(group.put("kind", "APIGroup").put("apiVersion", "v1"));
        }
        return resources(name, rest.subList(1, rest.size()));
    }

    private Optional<Response> resources(String group, List<String> rest) {
        String version = rest.get(0);
        List<ResourceType> types = catalog.in(group, version);
        if (rest.size() > 1 || types.isEmpty()) {
            return Optional.empty();
        }
        ObjectNode list = JsonText.object()
                .put("kind", "APIResourceList")
                .put("apiVersion", "v1")
                .put("groupVersion", group.isEmpty() ? version : group + "/" + version);
        ArrayNode resources = list.putArray("resources");
        types.forEach(type -> addResource(resources, type));
        return json(list);
    }

    private static void addResource(ArrayNode resources, ResourceType type) {
        ObjectNode resource = resource(resources, type.plural(), type.namespaced(), type.kind());
        resource.put("singularName", type.names().singular());
        ArrayNode verbs = resource.putArray("verbs");
        VERBS.forEach(verbs::add);
        if (!type.names().shortNames().isEmpty()) {
            ArrayNode shortNames = resource.putArray("shortNames");
            type.names().shortNames().forEach(shortNames::add);
        }
        if (IN_CATEGORY_ALL.contains(type.qualifiedName())) {
            resource.putArray("categories").add("all");
        }
        type.subresources().stream().sorted().forEach(each -> addSubresource(resources, type, each));
    }

    private static void addSubresource(ArrayNode resources, ResourceType type, String subresource) {
        String kind = switch (subresource) {
            case "binding" -> "Binding";
            case "eviction" -> "Eviction";
            case "token" -> "TokenRequest";
            default -> type.kind();
        };
        ObjectNode resource = resource(resources, type.plural() + "/" + subresource, type.namespaced(), kind);
        if (kind.equals("Eviction")) {
            resource.put("group", "policy").put("version", "v1");
        }
        ArrayNode verbs = resource.putArray("verbs");
        if (kind.equals(type.kind())) {
            verbs.add("get").add("patch").add("update");
        } else {
            verbs.add("create");
        }
    }

    private static ObjectNode resource(ArrayNode resources, String name, boolean namespaced, String kind) {
        return resources
                .addObject()
                .put("name", name)
                .put("singularName", "")
                .put("namespaced", namespaced)
                .put("kind", kind);
    }

    private static ObjectNode group(String name, List<String> versions) {
        ObjectNode group = JsonText.object().put("name", name);
        ArrayNode listed = group.putArray("versions");
        versions.forEach(version ->
                listed.addObject().put("groupVersion", name + "/" + version).put("version", version));
        group.putObject("preferredVersion")
                .put("groupVersion", name + "/" + versions.get(0))
                .put("version", versions.get(0));
        return group;
    }

    private static ObjectNode coreVersions() {
        ObjectNode versions = JsonText.object().put("kind", "APIVersions");
        versions.putArray("versions").add("v1");
        versions.putArray("serverAddressByClientCIDRs");
        return versions;
    }

    private static ObjectNode version() {
        String[] numbers = VERSION.substring(1).split("\\.", -1);
        return JsonText.object()
                .put("major", numbers[0])
                .put("minor", numbers[1])
                .put("gitVersion", VERSION + "-numaledger-fake")
                .put("platform", "linux/amd64");
    }

    private static Optional<Response> json(ObjectNode body) {
        return Optional.of(Response.Json.ok(body));
    }
}
