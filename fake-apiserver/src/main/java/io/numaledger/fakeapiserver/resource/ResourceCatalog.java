package io.numaledger.fakeapiserver.resource;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.schema.Schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;

/** The kinds that the server stores: built-in kinds, and those of custom resource definitions. */
public final class ResourceCatalog {

    public static final ResourceType NAMESPACES =
            ResourceType.core("Namespace", "namespaces", false, "status").withShortNames("ns");
    public static final ResourceType NODES =
            ResourceType.core("Node", "nodes", false, "status").withShortNames("no");
    public static final ResourceType PODS = ResourceType.core("Pod", "pods", true, "status", "binding", "eviction")
            .withShortNames("po");
    static final ResourceType EVENTS =
            ResourceType.core("Event", "events", true).withShortNames("ev");
    static final ResourceType SERVICE_ACCOUNTS = ResourceType.core("ServiceAccount", "serviceaccounts", true, "token")
            .withShortNames("sa");
    public static final ResourceType DEFINITIONS = ResourceType.builtIn(
            "apiextensions.k8s.io",
            ResourceType.Names.of("CustomResourceDefinition", "customresourcedefinitions", "crd", "crds"),
            false,
            "status");

    private final CopyOnWriteArrayList<ResourceType> types = new CopyOnWriteArrayList<>(List.of(
            NAMESPACES,
            NODES,
            PODS,
            EVENTS,
            SERVICE_ACCOUNTS,
            ResourceType.core("Service", "services", true, "status").withShortNames("svc"),
            ResourceType.core("ConfigMap", "configmaps", true).withShortNames("cm"),
            ResourceType.builtIn("coordination.k8s.io", ResourceType.Names.of("Lease", "leases"), true),
            ResourceType.builtIn(
                    "policy",
                    ResourceType.Names.of("PodDisruptionBudget", "poddisruptionbudgets", "pdb"),
                    true,
                    "status"),
            DEFINITIONS));

    public List<ResourceType> all() {
        return List.copyOf(types);
    }

    public Optional<ResourceType> find(String group, String version, String plural) {
        return types.stream()
                .filter(type -> type.group().equals(group)
                        && type.plural().equals(plural)
                        && type.versions().contains(version))
                .findFirst();
    }

    /** The versions of a group; the preferred version comes first. */
    public List<String> versions(String group) {
        return types.stream()
                .filter(type -> type.group().equals(group))
                .flatMap(type -> type.versions().stream())
                .distinct()
                .toList();
    }

    /** All groups except the core group. */
    public SortedSet<String> groups() {
        SortedSet<String> groups = new TreeSet<>();
        types.forEach(type -> groups.add(type.group()));
        groups.remove("");
        return groups;
    }

    public List<ResourceType> in(String group, String version) {
        return types.stream()
                .filter(type -> type.group().equals(group) && type.versions().contains(version))
                .toList();
    }

    /** Adds the kind that the definition describes, or replaces the kind of the same name. */
    public ResourceType define(ObjectNode definition) {
        ResourceType defined = typeOf(definition.path("spec"));
        undefine(defined.qualifiedName());
        types.add(defined);
        return defined;
    }

    public void undefine(String qualifiedName) {
        types.removeIf(type -> type.isCustom() && type.qualifiedName().equals(qualifiedName));
    }

    private static ResourceType typeOf(JsonNode spec) {
        List<String> versions = new ArrayList<>();
        SortedMap<String, Schema> schemas = new TreeMap<>();
        boolean status = false;
        for (JsonNode version : spec.path("versions")) {
            String name = version.path("name").asText();
            if (version.path("served").asBoolean()) {
                versions.add(version.path("storage").asBoolean() ? 0 : versions.size(), name);
                schemas.put(name, new Schema(version.path("schema").path("openAPIV3Schema")));
                status |= version.path("subresources").has("status");
            }
        }
        return new ResourceType(
                spec.path("group").asText(),
                versions,
                names(spec.path("names")),
                spec.path("scope").asText().equals("Namespaced"),
                status ? Set.of("status") : Set.of(),
                schemas);
    }

    private static ResourceType.Names names(JsonNode names) {
        List<String> shortNames = new ArrayList<>();
        names.path("shortNames").forEach(each -> shortNames.add(each.asText()));
        return new ResourceType.Names(
                names.path("kind").asText(),
                names.path("plural").asText(),
                names.path("singular").asText(),
                shortNames);
    }
}
