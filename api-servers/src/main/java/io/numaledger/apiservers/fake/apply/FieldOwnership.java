package io.numaledger.apiservers.fake.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.json.JsonEquality;
import io.numaledger.apiservers.fake.patch.JsonMergePatch;
import io.numaledger.apiservers.fake.resource.ObjectMeta;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Server-side apply and {@code metadata.managedFields} of custom resources. A manager owns whole fields, because their lists
 * are atomic, and single labels and annotations. Each apply is forced.
 */
public final class FieldOwnership {

    private static final String MANAGED = "managedFields";
    private static final List<String> MAPS = List.of("labels", "annotations");

    private FieldOwnership() {}

    /** Records in {@code after} the fields that the manager changed by a create, update or patch. */
    public static void recordUpdate(ObjectNode before, ObjectNode after, FieldManager manager) {
        SortedSet<String> changed = changed(before, after);
        SortedSet<String> owned = ownedBy(before, manager);
        owned.addAll(changed);
        owned.retainAll(fields(after).keySet());
        own(before, after, manager, owned, changed);
    }

    /** Merges the applied configuration into the live object, and removes what only this manager applied before. */
    public static ObjectNode apply(ObjectNode live, ObjectNode intent, FieldManager manager) {
        ObjectNode merged = live.deepCopy();
        SortedMap<String, JsonNode> claimed = fields(intent);
        for (String dropped : ownedBy(live, manager)) {
            if (!claimed.containsKey(dropped) && owners(live, dropped) == 1) {
                String[] path = path(dropped);
                parent(merged, path, "").remove(path[path.length - 1]);
            }
        }
        merged.set("metadata", JsonMergePatch.apply(merged.path("metadata"), intent.path("metadata")));
        intent.properties().stream()
                .filter(each -> !each.getKey().equals("metadata"))
                .forEach(each -> merged.set(each.getKey(), each.getValue()));
        own(live, merged, manager, new TreeSet<>(claimed.keySet()), changed(live, merged));
        return merged;
    }

    /** Gives the manager exactly these fields, and takes the changed ones from the others. */
    private static void own(
            ObjectNode before,
            ObjectNode after,
            FieldManager manager,
            SortedSet<String> owned,
            SortedSet<String> changed) {
        ArrayNode entries = JsonNodeFactory.instance.arrayNode();
        boolean same = owned.equals(ownedBy(before, manager));
        for (JsonNode entry : ObjectMeta.read(before).node().path(MANAGED)) {
            SortedSet<String> kept = read(entry.path("fieldsV1"));
            if (manager.isIn(entry)) {
                if (same) {
                    entries.add(entry.deepCopy());
                }
            } else if (kept.removeAll(changed)) {
                add(entries, entry.deepCopy(), kept);
            } else {
                entries.add(entry.deepCopy());
            }
        }
        if (!same) {
            add(entries, manager.entry(), owned);
        }
        ObjectMeta.of(after).node().set(MANAGED, entries);
        ObjectMeta.of(after).dropEmpty();
    }

    private static void add(ArrayNode entries, ObjectNode entry, SortedSet<String> owned) {
        if (!owned.isEmpty()) {
            ObjectNode fields = entry.putObject("fieldsV1");
            for (String field : owned) {
                String[] path = path(field);
                parent(fields, path, "f:").putObject("f:" + path[path.length - 1]);
            }
            entries.add(entry);
        }
    }

    private static SortedSet<String> changed(ObjectNode before, ObjectNode after) {
        SortedMap<String, JsonNode> old = fields(before);
        SortedMap<String, JsonNode> now = fields(after);
        SortedSet<String> changed = new TreeSet<>(old.keySet());
        changed.addAll(now.keySet());
        changed.removeIf(field ->
                old.containsKey(field) && now.containsKey(field) && JsonEquality.same(old.get(field), now.get(field)));
        return changed;
    }

    private static SortedSet<String> ownedBy(ObjectNode object, FieldManager manager) {
        for (JsonNode entry : ObjectMeta.read(object).node().path(MANAGED)) {
            if (manager.isIn(entry)) {
                return read(entry.path("fieldsV1"));
            }
        }
        return new TreeSet<>();
    }

    private static int owners(ObjectNode object, String field) {
        int owners = 0;
        for (JsonNode entry : ObjectMeta.read(object).node().path(MANAGED)) {
            owners += read(entry.path("fieldsV1")).contains(field) ? 1 : 0;
        }
        return owners;
    }

    private static SortedSet<String> read(JsonNode fieldsV1) {
        return new TreeSet<>(fields(fieldsV1, "f:").keySet());
    }

    private static SortedMap<String, JsonNode> fields(ObjectNode object) {
        SortedMap<String, JsonNode> fields = fields(object, "");
        fields.keySet().removeAll(List.of("apiVersion", "kind"));
        return fields;
    }

    /** What a manager can own: {@code zones}, or {@code metadata/labels/KEY}. */
    private static SortedMap<String, JsonNode> fields(JsonNode object, String prefix) {
        SortedMap<String, JsonNode> fields = new TreeMap<>();
        for (Map.Entry<String, JsonNode> each : object.properties()) {
            fields.put(each.getKey().substring(prefix.length()), each.getValue());
        }
        fields.remove("metadata");
        for (String map : MAPS) {
            JsonNode values = object.path(prefix + "metadata").path(prefix + map);
            for (Map.Entry<String, JsonNode> each : values.properties()) {
                fields.put("metadata/%s/%s".formatted(map, each.getKey().substring(prefix.length())), each.getValue());
            }
        }
        return fields;
    }

    private static String[] path(String field) {
        return field.split("/", 3);
    }

    private static ObjectNode parent(ObjectNode object, String[] path, String prefix) {
        ObjectNode parent = object;
        for (int i = 0; i < path.length - 1; i++) {
            parent = parent.withObjectProperty(prefix + path[i]);
        }
        return parent;
    }
}
