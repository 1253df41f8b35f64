package io.numaledger.apiservers.fake.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.status.FieldError;

import java.util.List;

/** Defaults and validation of one kind of object when it is written. */
public interface ObjectRules {

    /** Fills in defaults and the first status. */
    default void prepareCreate(ObjectNode object) {}

    /** Restores the fields that an update of the object cannot change, and increases the generation if the spec changed. */
    default void prepareUpdate(ObjectNode before, ObjectNode after) {}

    /** Restores the fields that an update of the status cannot change. */
    default void prepareStatusUpdate(ObjectNode before, ObjectNode after) {
        keep("spec", before, after);
    }

    /** Returns the invalid fields; {@code before} is empty for a new object. */
    default List<FieldError> validate(ObjectNode before, ObjectNode after) {
        return List.of();
    }

    static ObjectRules of(ResourceType type) {
        return switch (type.qualifiedName()) {
            case "pods" -> new PodRules();
            case "namespaces" -> new NamespaceRules();
            default -> type.custom() ? new CustomRules() : new BuiltInRules(type.hasStatus());
        };
    }

    /** Sets or removes a field of {@code after} so that it is as in {@code before}. */
    static void keep(String field, ObjectNode before, ObjectNode after) {
        if (before.has(field)) {
            after.set(field, before.get(field).deepCopy());
        } else {
            after.remove(field);
        }
    }
}
