package io.numaledger.simulator.apiserver.fields;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The owners of an object's fields, and when each last changed what it owns; reads and writes metadata.managedFields. */
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

    /** What all others own. */
    SortedMap<FieldManager, FieldSet> others(FieldManager owner) {
        SortedMap<FieldManager, FieldSet> others = new TreeMap<>();
        owners.forEach((each, owned) -> others.put(each, owned.fields()));
        others.remove(owner);
        return others;
    }

    /** Gives the owner exactly these fields; the time stays if it had them already. */
    void set(FieldManager owner, FieldSet fields, String now) {
        if (fields.isEmpty()) {
            owners.remove(owner);
        } else if (!ownedBy(owner).equals(fields)) {
            owners.put(owner, new Owned(fields, now));
        }
    }

    /** Takes fields from everybody but one; the times of those who lose something stay. */
    void takeFromOthers(FieldManager owner, FieldSet fields) {
        for (Map.Entry<FieldManager, FieldSet> each : others(owner).entrySet()) {
            FieldSet left = each.getValue().minus(fields);
            if (left.isEmpty()) {
                owners.remove(each.getKey());
            } else {
                owners.put(
                        each.getKey(), new Owned(left, owners.get(each.getKey()).time()));
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
