package io.numaledger.fakeapiserver.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The entries of {@code metadata.managedFields}: the fields of each manager, and when its set of fields last changed. */
final class ManagedFields {

    record Owned(FieldSet fields, String time) {}

    private final SortedMap<FieldManager, Owned> owners = new TreeMap<>();

    static ManagedFields of(ObjectNode object) {
        ManagedFields managed = new ManagedFields();
        for (JsonNode entry : object.path("metadata").path("managedFields")) {
            FieldManager owner = new FieldManager(
                    entry.path("manager").asText("unknown"),
                    entry.path("operation").asText().equals("Apply"),
                    entry.path("apiVersion").asText(),
                    entry.path("subresource").asText());
            FieldSet fields = FieldSet.fromJson(entry.path("fieldsV1"));
            managed.owners.put(owner, new Owned(fields, entry.path("time").asText()));
        }
        return managed;
    }

    FieldSet ownedBy(FieldManager owner) {
        return owners.containsKey(owner) ? owners.get(owner).fields() : FieldSet.EMPTY;
    }

    /** The fields of all other managers. */
    SortedMap<FieldManager, FieldSet> others(FieldManager owner) {
        SortedMap<FieldManager, FieldSet> others = new TreeMap<>();
        owners.forEach((each, owned) -> others.put(each, owned.fields()));
        others.remove(owner);
        return others;
    }

    /** Sets the fields of a manager; keeps the time if they are unchanged. */
    void set(FieldManager owner, FieldSet fields, String now) {
        if (fields.isEmpty()) {
            owners.remove(owner);
        } else if (!ownedBy(owner).equals(fields)) {
            owners.put(owner, new Owned(fields, now));
        }
    }

    /** Removes fields from all other managers; keeps their times. */
    void takeFromOthers(FieldManager owner, FieldSet fields) {
        for (Map.Entry<FieldManager, FieldSet> each : others(owner).entrySet()) {
            FieldSet left = each.getValue().minus(fields);
            if (left.isEmpty()) {
                owners.remove(each.getKey());
            } else {
                owners.computeIfPresent(each.getKey(), (manager, owned) -> new Owned(left, owned.time()));
            }
        }
    }

    void writeTo(ObjectNode object) {
        ObjectNode metadata = object.withObjectProperty("metadata");
        if (owners.isEmpty()) {
            metadata.remove("managedFields");
            return;
        }
        ArrayNode entries = JsonNodeFactory.instance.arrayNode();
        owners.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<FieldManager, Owned> each) ->
                                each.getKey().operation())
                        .thenComparing(each -> each.getValue().time())
                        .thenComparing(Map.Entry::getKey))
                .forEach(each -> entries.add(entry(each.getKey(), each.getValue())));
        metadata.set("managedFields", entries);
    }

    private static ObjectNode entry(FieldManager owner, Owned owned) {
        ObjectNode entry = JsonNodeFactory.instance
                .objectNode()
                .put("manager", owner.name())
                .put("operation", owner.operation())
                .put("apiVersion", owner.apiVersion())
                .put("time", owned.time())
                .put("fieldsType", "FieldsV1");
        entry.set("fieldsV1", owned.fields().toJson());
        if (!owner.subresource().isEmpty()) {
            entry.put("subresource", owner.subresource());
        }
        return entry;
    }
}
