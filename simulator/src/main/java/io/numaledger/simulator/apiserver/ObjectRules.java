package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.simulator.apiserver.ApiError.Cause;

import java.util.List;

/** What the server itself decides about objects of one kind when they are written. */
interface ObjectRules {

    /** Fills in defaults and the first status. */
    default void prepareCreate(ObjectNode object) {}

    /** Brings back what a write of the object itself cannot change, and counts its generation. */
    default void prepareUpdate(ObjectNode before, ObjectNode after) {}

    /** Brings back what a write of the status cannot change. */
    default void prepareStatusUpdate(ObjectNode before, ObjectNode after) {
        keep("spec", before, after);
    }

    /** What is wrong with an object; {@code before} is empty for a new one. */
    default List<Cause> validate(ObjectNode before, ObjectNode after) {
        return List.of();
    }

    static ObjectRules of(Target target) {
        ResourceType type = target.type();
        return switch (type.qualifiedName()) {
            case "pods" -> new PodRules();
            case "namespaces" -> new NamespaceRules();
            case "customresourcedefinitions.apiextensions.k8s.io" -> new DefinitionRules();
            default -> type.isCustom() ? new CustomRules(type, target.version()) : new BuiltInRules(type.hasStatus());
        };
    }

    /** Makes a field of the one object as it was in the other, absent or not. */
    static void keep(String field, ObjectNode before, ObjectNode after) {
        if (before.has(field)) {
            after.set(field, before.get(field).deepCopy());
        } else {
            after.remove(field);
        }
    }
}
