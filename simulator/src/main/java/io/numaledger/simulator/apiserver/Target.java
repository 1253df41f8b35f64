package io.numaledger.simulator.apiserver;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * What a resource path names.
 *
 * @param version the one that the client speaks
 * @param namespace empty for all namespaces, and for objects of the cluster
 * @param name empty for the collection
 * @param subresource empty for the object itself
 */
record Target(ResourceType type, String version, String namespace, String name, String subresource) {

    /** Reads {@code /api/v1/…} or {@code /apis/GROUP/VERSION/…}; empty if no resource of the catalog is meant. */
    static Optional<Target> parse(String path, ResourceCatalog catalog) {
        List<String> parts =
                Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
        boolean core = parts.size() > 2 && parts.get(0).equals("api");
        boolean grouped = parts.size() > 3 && parts.get(0).equals("apis");
        if (core) {
            return resource("", parts.get(1), parts.subList(2, parts.size()), catalog);
        }
        return grouped
                ? resource(parts.get(1), parts.get(2), parts.subList(3, parts.size()), catalog)
                : Optional.empty();
    }

    private static Optional<Target> resource(String group, String version, List<String> rest, ResourceCatalog catalog) {
        boolean inNamespace =
                rest.size() > 2 && rest.get(0).equals("namespaces") && !isNamespaceSubresource(rest.get(2));
        String namespace = inNamespace ? rest.get(1) : "";
        List<String> parts = inNamespace ? rest.subList(2, rest.size()) : rest;
        if (parts.size() > 3) {
            return Optional.empty();
        }
        String name = parts.size() > 1 ? parts.get(1) : "";
        String subresource = parts.size() > 2 ? parts.get(2) : "";
        return catalog.find(group, version, parts.get(0))
                .filter(type -> subresource.isEmpty() || type.subresources().contains(subresource))
                .filter(type -> type.namespaced() ? inNamespace || name.isEmpty() : !inNamespace)
                .map(type -> new Target(type, version, namespace, name, subresource));
    }

    private static boolean isNamespaceSubresource(String part) {
        return part.equals("status") || part.equals("finalize");
    }

    boolean isCollection() {
        return name.isEmpty();
    }

    ObjectKey key() {
        return keyOf(name);
    }

    ObjectKey keyOf(String objectName) {
        return new ObjectKey(type, namespace, objectName);
    }

    String apiVersion() {
        return type.apiVersion(version);
    }

    /** The plural, with the subresource if any. */
    String resource() {
        return subresource.isEmpty() ? type.plural() : type.plural() + "/" + subresource;
    }
}
