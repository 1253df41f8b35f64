package io.numaledger.fakeapiserver.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.fakeapiserver.json.JsonEquality;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds the fields of an object that managers can own, and compares two states of an object by them. */
final class OwnableFields {

    /** Fields without an owner, because the server sets them (stripMeta in managedfields of apimachinery). */
    private static final Set<FieldPath> NOT_OWNED = Set.of(
            FieldPath.ofFields("apiVersion"),
            FieldPath.ofFields("kind"),
            FieldPath.ofFields("metadata"),
            FieldPath.ofFields("metadata", "name"),
            FieldPath.ofFields("metadata", "namespace"),
            FieldPath.ofFields("metadata", "creationTimestamp"),
            FieldPath.ofFields("metadata", "deletionTimestamp"),
            FieldPath.ofFields("metadata", "deletionGracePeriodSeconds"),
            FieldPath.ofFields("metadata", "uid"),
            FieldPath.ofFields("metadata", "generation"),
            FieldPath.ofFields("metadata", "managedFields"),
            FieldPath.ofFields("metadata", "resourceVersion"));

    /** Fields that were added, modified and removed. */
    record Difference(FieldSet added, FieldSet modified, FieldSet removed) {

        FieldSet written() {
            return added.union(modified);
        }
    }

    private final ListKeys keys;

    OwnableFields(ListKeys keys) {
        this.keys = keys;
    }

    /** The fields that an applied configuration owns: its leaves, and the items of keyed lists. */
    FieldSet appliedBy(ObjectNode object) {
        TreeSet<FieldPath> found = new TreeSet<>();
        collect(FieldPath.ROOT, object, found, false);
        found.removeAll(NOT_OWNED);
        return new FieldSet(found);
    }

    Difference compare(ObjectNode before, ObjectNode after) {
        var added = new TreeSet<FieldPath>();
        var modified = new TreeSet<FieldPath>();
        var removed = new TreeSet<FieldPath>();
        compare(FieldPath.ROOT, before, after, new Sides(added, modified, removed));
        List.of(added, modified, removed).forEach(each -> each.removeAll(NOT_OWNED));
        return new Difference(new FieldSet(added), new FieldSet(modified), new FieldSet(removed));
    }

    private record Sides(TreeSet<FieldPath> added, TreeSet<FieldPath> modified, TreeSet<FieldPath> removed) {}

    private void compare(FieldPath path, JsonNode before, JsonNode after, Sides sides) {
        if (before.isMissingNode()) {
            collect(path, after, sides.added(), true);
        } else if (after.isMissingNode()) {
            collect(path, before, sides.removed(), true);
        } else if (hasChildren(path, before) && hasChildren(path, after)) {
            compareChildren(path, before, after, sides);
        } else if (!JsonEquality.same(before, after)) {
            sides.modified().add(path);
        }
    }

    private void compareChildren(FieldPath path, JsonNode before, JsonNode after, Sides sides) {
        Map<FieldPath, JsonNode> old = children(path, before);
        Map<FieldPath, JsonNode> now = children(path, after);
        old.forEach((child, value) -> compare(child, value, now.getOrDefault(child, MissingNode.getInstance()), sides));
        now.forEach((child, value) -> {
            if (!old.containsKey(child)) {
                compare(child, MissingNode.getInstance(), value, sides);
            }
        });
    }

    /** Collects the fields below a path. List items are fields of their own; containers are if {@code containersToo}. */
    private void collect(FieldPath path, JsonNode node, TreeSet<FieldPath> found, boolean containersToo) {
        boolean item = path.depth() > 0 && !path.last().startsWith("f:");
        if (!hasChildren(path, node)) {
            found.add(path);
            return;
        }
        if (item || (containersToo && path.depth() > 1)) {
            found.add(path);
        }
        children(path, node).forEach((child, value) -> collect(child, value, found, containersToo));
    }

    private boolean hasChildren(FieldPath path, JsonNode node) {
        return path.depth() == 0
                || (node instanceof ObjectNode && !node.isEmpty())
                || (node instanceof ArrayNode && !node.isEmpty() && isGranular(path));
    }

    private boolean isGranular(FieldPath list) {
        return list.last().startsWith("f:")
                && (keys.isSet(list) || !keys.of(list).isEmpty());
    }

    /** The children of an object, of a keyed list or of a set, by their paths. */
    Map<FieldPath, JsonNode> children(FieldPath path, JsonNode node) {
        Map<FieldPath, JsonNode> found = new LinkedHashMap<>();
        if (node instanceof ObjectNode object) {
            object.properties().forEach(each -> found.put(path.field(each.getKey()), each.getValue()));
        } else {
            node.forEach(each -> found.put(item(path, each), each));
        }
        return found;
    }

    /** The path of an item of a set or a keyed list. */
    FieldPath item(FieldPath list, JsonNode item) {
        return list.child(keys.isSet(list) ? "v:" + item : ListKeys.element(keys.of(list), item));
    }

    boolean granularList(FieldPath path, JsonNode node) {
        return node instanceof ArrayNode && isGranular(path);
    }
}
