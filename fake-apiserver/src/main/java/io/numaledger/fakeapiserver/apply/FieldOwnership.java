package io.numaledger.fakeapiserver.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Maintains {@code metadata.managedFields} and merges applied configurations. Follows merge/update.go in
 * structured-merge-diff.
 */
public final class FieldOwnership {

    private final OwnableFields ownable;
    private final Predicate<FieldPath> recorded;

    /**
     * @param keys which lists are merged item by item
     * @param unrecorded the top-level field whose ownership is not recorded, such as {@code status}; may be empty
     */
    public FieldOwnership(ListKeys keys, String unrecorded) {
        this.ownable = new OwnableFields(keys);
        FieldPath out = FieldPath.ofFields(unrecorded);
        this.recorded = path -> !path.startsWith(out);
    }

    /** Records in {@code after} the fields that the manager changed by a create, update or patch. */
    public void recordUpdate(ObjectNode before, ObjectNode after, FieldManager owner, String now) {
        ManagedFields managed = ManagedFields.of(before);
        OwnableFields.Difference difference = ownable.compare(before, after);
        FieldSet written = difference.written().filter(recorded);
        managed.takeFromOthers(owner, written.union(difference.removed()));
        managed.set(owner, managed.ownedBy(owner).union(written).minus(difference.removed()), now);
        managed.writeTo(after);
    }

    /**
     * Merges the applied configuration into the live object. Removes fields that the manager applied before, that the
     * configuration no longer has, and that no other manager owns.
     *
     * @throws ApplyConflict if the configuration changes a field of another manager and {@code force} is false
     */
    public ObjectNode apply(ObjectNode live, ObjectNode intent, FieldManager owner, boolean force, String now) {
        ManagedFields managed = ManagedFields.of(live);
        FieldSet claimed = ownable.appliedBy(intent).filter(recorded);
        ObjectNode merged = (ObjectNode) merge(FieldPath.ROOT, live, intent);
        removeDropped(merged, managed.ownedBy(owner).minus(claimed), managed.others(owner));
        OwnableFields.Difference difference = ownable.compare(live, merged);
        refuseConflicts(managed.others(owner), difference.written(), force);
        managed.takeFromOthers(owner, difference.written().union(difference.removed()));
        managed.set(owner, claimed, now);
        managed.writeTo(merged);
        return merged;
    }

    private static void refuseConflicts(SortedMap<FieldManager, FieldSet> others, FieldSet written, boolean force) {
        SortedMap<FieldManager, FieldSet> conflicts = new TreeMap<>();
        others.forEach((other, fields) -> {
            if (!fields.intersection(written).isEmpty()) {
                conflicts.put(other, fields.intersection(written));
            }
        });
        if (!conflicts.isEmpty() && !force) {
            throw ApplyConflict.of(conflicts);
        }
    }

    private JsonNode merge(FieldPath path, JsonNode live, JsonNode intent) {
        if (live instanceof ObjectNode object && intent instanceof ObjectNode changes) {
            ObjectNode result = object.deepCopy();
            changes.properties()
                    .forEach(each -> result.set(
                            each.getKey(),
                            merge(path.field(each.getKey()), object.path(each.getKey()), each.getValue())));
            return result;
        }
        if (ownable.granularList(path, live) && ownable.granularList(path, intent)) {
            return mergeItems(path, (ArrayNode) live, (ArrayNode) intent);
        }
        return intent.deepCopy();
    }

    private ArrayNode mergeItems(FieldPath path, ArrayNode live, ArrayNode intent) {
        Map<FieldPath, JsonNode> items = ownable.children(path, live);
        ownable.children(path, intent)
                .forEach((child, value) -> items.merge(child, value, (old, now) -> merge(child, old, now)));
        ArrayNode result = JsonNodeFactory.instance.arrayNode();
        items.values().forEach(each -> result.add(each.deepCopy()));
        return result;
    }

    private void removeDropped(ObjectNode merged, FieldSet dropped, SortedMap<FieldManager, FieldSet> others) {
        for (FieldPath path : dropped.paths()) {
            boolean kept = others.values().stream()
                    .anyMatch(each -> each.paths().stream().anyMatch(other -> other.startsWith(path)));
            if (!kept) {
                remove(merged, FieldPath.ROOT, path);
            }
        }
    }

    /** Removes the field at {@code path} below the node at {@code at}, and containers that become empty. */
    private void remove(JsonNode node, FieldPath at, FieldPath path) {
        FieldPath child = new FieldPath(path.elements().subList(0, at.depth() + 1));
        JsonNode value = ownable.children(at, node).get(child);
        if (value == null) {
            return;
        }
        if (child.depth() < path.depth()) {
            remove(value, child, path);
        }
        if (child.depth() == path.depth() || (value.isContainerNode() && value.isEmpty())) {
            detach(node, at, child);
        }
    }

    private void detach(JsonNode node, FieldPath at, FieldPath child) {
        if (node instanceof ObjectNode object) {
            object.remove(child.last().substring(2));
            return;
        }
        ArrayNode items = (ArrayNode) node;
        for (int i = 0; i < items.size(); i++) {
            if (ownable.item(at, items.get(i)).equals(child)) {
                items.remove(i);
                return;
            }
        }
    }
}
