package io.numaledger.apiservers.fake.request;

import io.numaledger.apiservers.fake.resource.ResourceCatalog;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.storage.ObjectKey;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The resource or object that a path names.
 *
 * @param namespace empty for all namespaces, and for cluster-scoped objects
 * @param name empty for the collection
 * @param subresource empty for the object itself
 */
public record Target(ResourceType type, String namespace, String name, String subresource) {

    /** Parses {@code /api/v1/…} or {@code /apis/GROUP/VERSION/…}; empty if the catalog does not have the resource. */
    public static Optional<Target> parse(String path) {
        List<String> parts =
                Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
        boolean core = parts.size() > 2 && parts.get(0).equals("api");
        boolean grouped = parts.size() > 3 && parts.get(0).equals("apis");
        if (core) {
            return resource("", parts.get(1), parts.subList(2, parts.size()));
        }
        return grouped ? resource(parts.get(1), parts.get(2), parts.subList(3, parts.size())) : Optional.empty();
    }

    private static Optional<Target> resource(String group, String version, List<String> rest) {
        boolean inNamespace =
                rest.size() > 2 && rest.get(0).equals("namespaces") && !isNamespaceSubresource(rest.get(2));
        String namespace = inNamespace ? rest.get(1) : "";
        List<String> parts = inNamespace ? rest.subList(2, rest.size()) : rest;
        if (parts.size() > 3) {
            return Optional.empty();
        }
        String name = parts.size() > 1 ? parts.get(1) : "";
        String subresource = parts.size() > 2 ? parts.get(2) : "";
        return ResourceCatalog.find(group, version, parts.get(0))
                .filter(type -> subresource.isEmpty() || type.subresources().contains(subresource))
                .filter(type -> type.namespaced() ? inNamespace || name.isEmpty() : !inNamespace)
                .map(type -> new Target(type, namespace, name, subresource));
    }

    private static boolean isNamespaceSubresource(String part) {
        return part.equals("status") || part.equals("finalize");
    }

    public boolean isCollection() {
        return name.isEmpty();
    }

    public ObjectKey key() {
        return keyOf(name);
    }

    public ObjectKey keyOf(String objectName) {
        return new ObjectKey(type, namespace, objectName);
    }
}
