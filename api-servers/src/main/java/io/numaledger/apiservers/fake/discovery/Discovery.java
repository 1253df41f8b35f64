package io.numaledger.apiservers.fake.discovery;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.resource.ResourceCatalog;
import io.numaledger.apiservers.fake.resource.ResourceType;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Responses for discovery, version and health paths. */
public final class Discovery {

    /** The Kubernetes release whose behaviour this server follows. */
    private static final String VERSION = "v1.36.3";

    private static final List<String> VERBS =
            List.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

    private Discovery() {}

    /** The response for a path; empty for an unknown path. */
    public static Optional<Response> answer(String path) {
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

    private static Optional<Response> groups(List<String> rest) {
        if (rest.isEmpty()) {
            ObjectNode list = JsonText.object().put("kind", "APIGroupList").put("apiVersion", "v1");
            ArrayNode groups = list.putArray("groups");
            ResourceCatalog.groups().forEach(each -> groups.add(group(each)));
            return json(list);
        }
        String name = rest.get(0);
        if (!ResourceCatalog.groups().contains(name)) {
            return Optional.empty();
        }
        if (rest.size() == 1) {
            return json(group(name).put("kind", "APIGroup").put("apiVersion", "v1"));
        }
        return resources(name, rest.subList(1, rest.size()));
    }

    private static Optional<Response> resources(String group, List<String> rest) {
        String version = rest.get(0);
        List<ResourceType> types = ResourceCatalog.in(group, version);
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
        ObjectNode resource = resources
                .addObject()
                .put("name", type.plural())
                .put("singularName", type.names().singular())
                .put("namespaced", type.namespaced())
                .put("kind", type.kind());
        VERBS.forEach(resource.putArray("verbs")::add);
        type.names().shortNames().forEach(resource.putArray("shortNames")::add);
    }

    private static ObjectNode group(String name) {
        String version = ResourceCatalog.version(name);
        ObjectNode served =
                JsonText.object().put("groupVersion", name + "/" + version).put("version", version);
        ObjectNode group = JsonText.object().put("name", name);
        group.putArray("versions").add(served);
        return group.set("preferredVersion", served);
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
