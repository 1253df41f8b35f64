package io.numaledger.scheduling.state;

import java.io.IOException;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

/**
 * The node names of one call, in its order. Each name is looked up in the index when it is added. A name may occur twice, and
 * names of unknown nodes are kept.
 */
public final class NodeNames extends AbstractList<String> {

    /**
     * Takes a name from a buffer, as JSON has it between quotes. No string is made: fetching thousands of them from memory takes
     * longer than writing them.
     */
    @FunctionalInterface
    public interface NameWriter {
        void write(byte[] buffer, int start, int length) throws IOException;
    }

    private final NodeIndex index;
    private final Map<Integer, String> unknown = new HashMap<>();
    private int[] at;
    private int size;

    /** @param expected the likely number of names */
    NodeNames(NodeIndex index, int expected) {
        this.index = index;
        this.at = new int[Math.max(1, expected)];
    }

    /** A copy of these names, to which others can be added. */
    public NodeNames copy() {
        NodeNames copy = new NodeNames(index, 0);
        copy.at = Arrays.copyOf(at, Math.max(at.length, index.size()));
        copy.size = size;
        copy.unknown.putAll(unknown);
        return copy;
    }

    /** Looks these names up in the index. */
    public static NodeNames of(NodeIndex index, Collection<String> names) {
        NodeNames result = new NodeNames(index, names.size());
        names.forEach(result::add);
        return result;
    }

    @Override
    public boolean add(String name) {
        int found = index.find(json(name));
        if (found < 0) {
            unknown.put(size, name);
        }
        add(found);
        return true;
    }

    /** Adds a name that is in a buffer. It must be ASCII without anything that JSON escapes. */
    public void add(byte[] buffer, int start, int end) {
        int found = index.find(buffer, start, end);
        if (found < 0) {
            unknown.put(size, new String(buffer, start, end - start, US_ASCII));
        }
        add(found);
    }

    /** Adds the node at a position in the index. */
    public void add(int found) {
        if (size == at.length) {
            at = Arrays.copyOf(at, 2 * size);
        }
        at[size++] = found;
    }

    @Override
    public void clear() {
        unknown.clear();
        size = 0;
    }

    @Override
    public String get(int place) {
        int found = at(place);
        return found < 0 ? requireNonNull(unknown.get(place)) : index.name(found);
    }

    /** Writes the name at a place. */
    public void write(int place, NameWriter writer) throws IOException {
        int found = at(place);
        if (found < 0) {
            byte[] name = json(get(place));
            writer.write(name, 0, name.length);
        } else {
            index.write(found, writer);
        }
    }

    /** A name as JSON has it between quotes. */
    static byte[] json(String name) {
        return (hasEscaped(name) ? escaped(name) : name).getBytes(UTF_8);
    }

    private static boolean hasEscaped(String name) {
        for (int at = 0; at < name.length(); at++) {
            if (isEscaped(name.charAt(at))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isEscaped(int each) {
        return each < ' ' || each == '"' || each == '\\';
    }

    private static String escaped(String name) {
        StringBuilder json = new StringBuilder(name.length());
        for (int at = 0; at < name.length(); at++) {
            char each = name.charAt(at);
            if (each < ' ') {
                json.append("\\u%04x".formatted((int) each));
            } else {
                json.append(isEscaped(each) ? "\\" : "").append(each);
            }
        }
        return json.toString();
    }

    @Override
    public int size() {
        return size;
    }

    /** The index in which the names were looked up. */
    public NodeIndex index() {
        return index;
    }

    /** Whether the index has the node that is named at a place. */
    public boolean isKnown(int place) {
        return at(place) >= 0;
    }

    /** The position in the index of the known node that is named at a place. */
    public int at(int place) {
        if (place >= size) {
            throw new IndexOutOfBoundsException("place=%d size=%d".formatted(place, size));
        }
        return at[place];
    }

    /** The slots of the known nodes. */
    public BitSet slots() {
        BitSet slots = new BitSet();
        for (int place = 0; place < size; place++) {
            if (at[place] >= 0) {
                slots.set(index.slot(at[place]));
            }
        }
        return slots;
    }
}
