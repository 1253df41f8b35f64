package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.fields.ListKeys;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One kind of object that the server keeps.
 *
 * @param group empty for the core group
 * @param versions all that are served; objects are stored in the first
 * @param namespaced false for objects of the cluster
 * @param subresources such as {@code status}
 * @param schemas by version, for a custom resource; a version without one keeps every field
 */
record ResourceType(
        String group,
        List<String> versions,
        Names names,
        boolean namespaced,
        Set<String> subresources,
        SortedMap<String, Schema> schemas) {

    /** How the kind is called. */
    record Names(String kind, String plural, String singular, List<String> shortNames) {

        Names {
            shortNames = List.copyOf(shortNames);
        }

        /** A kind whose singular is its own name in small letters. */
        static Names of(String kind, String plural, String... shortNames) {
            return new Names(kind, plural, kind.toLowerCase(Locale.ROOT), List.of(shortNames));
        }
    }

    ResourceType {
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
        return new ResourceType(group, List.of("v1"), names, namespaced, Set.of(subresources), new TreeMap<>());
    }

    ResourceType withShortNames(String... shortNames) {
        Names longer = new Names(names.kind(), names.plural(), names.singular(), List.of(shortNames));
        return new ResourceType(group, versions, longer, namespaced, subresources, schemas);
    }

    String kind() {
        return names.kind();
    }

    String plural() {
        return names.plural();
    }

    /** As messages name it: {@code pods}, or {@code noderesourcetopologies.topology.node.k8s.io}. */
    String qualifiedName() {
        return group.isEmpty() ? plural() : plural() + "." + group;
    }

    String storageVersion() {
        return versions.get(0);
    }

    String apiVersion(String version) {
        return group.isEmpty() ? version : group + "/" + version;
    }

    Optional<Schema> schema(String version) {
        return Optional.ofNullable(schemas.get(version));
    }

    boolean isCustom() {
        return !schemas.isEmpty();
    }

    boolean hasStatus() {
        return subresources.contains("status");
    }

    ListKeys listKeys() {
        return isCustom() ? ListKeys.ATOMIC : ListKeys.CORE;
    }

    /** The object as a client of the version sees it. The conversion changes the version and drops what it lacks. */
    ObjectNode in(String version, ObjectNode object) {
        if (object.path("apiVersion").asText().equals(apiVersion(version))) {
            return object;
        }
        ObjectNode converted = object.deepCopy();
        converted.put("apiVersion", apiVersion(version));
        schema(version).ifPresent(schema -> schema.prune(converted));
        return converted;
    }
}
