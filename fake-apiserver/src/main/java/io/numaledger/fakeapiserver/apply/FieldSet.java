package io.numaledger.fakeapiserver.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** A set of field paths, which {@code FieldsV1} represents in JSON. */
record FieldSet(SortedSet<FieldPath> paths) {

    static final FieldSet EMPTY = new FieldSet(new TreeSet<>());

    private static final String SELF = ".";

    FieldSet {
        paths = Collections.unmodifiableSortedSet(new TreeSet<>(paths));
    }

    static FieldSet of(Collection<FieldPath> paths) {
        return new FieldSet(new TreeSet<>(paths));
    }

    static FieldSet fromJson(JsonNode fieldsV1) {
        SortedSet<FieldPath> found = new TreeSet<>();
        read(FieldPath.ROOT, fieldsV1, found);
        return new FieldSet(found);
    }

    boolean isEmpty() {
        return paths.isEmpty();
    }

    boolean contains(FieldPath path) {
        return paths.contains(path);
    }

    FieldSet union(FieldSet other) {
        SortedSet<FieldPath> all = new TreeSet<>(paths);
        all.addAll(other.paths);
        return new FieldSet(all);
    }

    FieldSet minus(FieldSet other) {
        return filter(path -> !other.contains(path));
    }

    FieldSet intersection(FieldSet other) {
        return filter(other::contains);
    }

    FieldSet filter(Predicate<FieldPath> kept) {
        return of(paths.stream().filter(kept).toList());
    }

    ObjectNode toJson() {
        ObjectNode root = JsonNodeFactory.instance.objectNode();
        paths.forEach(path -> {
            ObjectNode node = root;
            for (String element : path.elements()) {
                node = node.withObjectProperty(element);
            }
            if (hasBelow(path)) {
                node.putObject(SELF);
            }
        });
        return root;
    }

    private boolean hasBelow(FieldPath path) {
        return paths.stream().anyMatch(each -> each.depth() > path.depth() && each.startsWith(path));
    }

    private static void read(FieldPath path, JsonNode node, SortedSet<FieldPath> found) {
        if (path.depth() > 0 && (node.isEmpty() || node.has(SELF))) {
            found.add(path);
        }
        node.properties().forEach(child -> {
            if (!child.getKey().equals(SELF)) {
                read(path.child(child.getKey()), child.getValue(), found);
            }
        });
    }
}
