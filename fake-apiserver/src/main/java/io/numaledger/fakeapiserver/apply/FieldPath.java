package io.numaledger.fakeapiserver.apply;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The path of one field, in elements of {@code FieldsV1}: {@code f:name} is a field, {@code k:{"name":"c"}} is the list
 * item with that key, {@code v:"x"} is an item of a set. The order is that of structured-merge-diff: the members of a
 * level come before their children.
 */
record FieldPath(List<String> elements) implements Comparable<FieldPath> {

    static final FieldPath ROOT = new FieldPath(List.of());

    private static final JsonMapper JSON = new JsonMapper();

    FieldPath {
        elements = List.copyOf(elements);
    }

    static FieldPath ofFields(String... names) {
        FieldPath path = ROOT;
        for (String name : names) {
            path = path.field(name);
        }
        return path;
    }

    FieldPath field(String name) {
        return child("f:" + name);
    }

    FieldPath child(String element) {
        List<String> longer = new ArrayList<>(elements);
        longer.add(element);
        return new FieldPath(longer);
    }

    int depth() {
        return elements.size();
    }

    FieldPath parent() {
        return new FieldPath(elements.subList(0, elements.size() - 1));
    }

    String last() {
        return elements.get(elements.size() - 1);
    }

    boolean startsWith(FieldPath other) {
        return depth() >= other.depth() && elements.subList(0, other.depth()).equals(other.elements);
    }

    @Override
    public int compareTo(FieldPath other) {
        int common = Math.min(depth(), other.depth());
        for (int i = 0; i < common; i++) {
            boolean ends = i == depth() - 1;
            boolean otherEnds = i == other.depth() - 1;
            if (ends != otherEnds) {
                return ends ? -1 : 1;
            }
            int order = elements.get(i).compareTo(other.elements.get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(depth(), other.depth());
    }

    /** The path as in conflict messages: {@code .spec.containers[name="c"].image}. */
    @Override
    public String toString() {
        return elements.stream().map(FieldPath::shown).collect(Collectors.joining());
    }

    private static String shown(String element) {
        return element.startsWith("f:")
                ? "." + element.substring(2)
                : "[" + shownKey(element.startsWith("k:"), element.substring(2)) + "]";
    }

    private static String shownKey(boolean key, String json) {
        if (!key) {
            return "=" + json;
        }
        try {
            JsonNode keys = JSON.readTree(json);
            return keys.properties().stream()
                    .map(each -> each.getKey() + "=" + each.getValue())
                    .collect(Collectors.joining(","));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    "not a list key: element=k:%s; write it as a JSON object".formatted(json), e);
        }
    }
}
