package io.numaledger.fakeapiserver.resource;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.schema.Schema;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One kind of object that the server stores.
 *
 * @param group empty for the core group
 * @param versions all that are served; objects are stored in the first
 * @param namespaced false for cluster-scoped objects
 * @param subresources such as {@code status}
 * @param schemas by version; empty for a built-in kind
 */
public record ResourceType(
        String group,
        List<String> versions,
        Names names,
        boolean namespaced,
        Set<String> subresources,
        SortedMap<String, Schema> schemas) {

    /** The names of a kind. */
    public record Names(String kind, String plural, String singular, List<String> shortNames) {

        public Names {
            shortNames = List.copyOf(shortNames);
        }

        /** Names of a kind whose singular is the kind in lower case. */
        static Names of(String kind, String plural, String... shortNames) {
            return new Names(kind, plural, kind.toLowerCase(Locale.ROOT), List.of(shortNames));
        }
    }

    public ResourceType {
        versions = List.copyOf(versions);
        schemas = Collections.unmodifiableSortedMap(new TreeMap<>(schemas));
        if (versions.isEmpty()) {
            throw new IllegalArgumentException(
                    "a resource has no version: plural=%s; serve at least one".formatted(names.plural()));
        }
    }

    static ResourceType core(String kind, String plural, boolean namespaced, String... subresources) {
        return builtIn("", Names.of(kind, plural), namespaced, subresources);
    }

    static ResourceType builtIn(String group, Names names, boolean namespaced, String... subresources) {
        return new ResourceType(
                group, List.of("v1"), names, namespaced, Set.of(subresources), new TreeMap<>());
    }

    ResourceType withShortNames(String... shortNames) {
        Names longer = new Names(names.kind(), names.plural(), names.singular(), List.of(shortNames));
        return new ResourceType(group, versions, longer, namespaced, subresources, schemas);
    }

    public String kind() {
        return names.kind();
    }

    public String plural() {
        return names.plural();
    }

    /** The name in messages: {@code pods}, or {@code noderesourcetopologies.topology.node.k8s.io}. */
    public String qualifiedName() {
        return group.isEmpty() ? plural() : plural() + "." + group;
    }

    public String storageVersion() {
        return versions.get(0);
    }

    public String apiVersion(String version) {
        return group.isEmpty() ? version : group + "/" + version;
    }

    public Optional<Schema> schema(String version) {
        return Optional.ofNullable(schemas.get(version));
    }

    public boolean isCustom() {
        return !schemas.isEmpty();
    }

    public boolean hasStatus() {
        return subresources.contains("status");
    }

    /** Converts an object to a version: sets {@code apiVersion} and removes the fields that the version does not have. */
    public ObjectNode in(String version, ObjectNode object) {
        if (object.path("apiVersion").asText().equals(apiVersion(version))) {
            return object;
        }
        ObjectNode converted = object.deepCopy();
        converted.put("apiVersion", apiVersion(version));
        schema(version).ifPresent(schema -> schema.prune(converted));
        return converted;
    }
}
