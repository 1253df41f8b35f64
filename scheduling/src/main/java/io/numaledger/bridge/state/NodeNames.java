package io.numaledger.bridge.state;

import java.io.IOException;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

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

    /** These names, looked up in the index. */
    public static NodeNames of(NodeIndex index, Collection<String> names) {
        NodeNames result = new NodeNames(index, names.size());
        names.forEach(result::add);
        return result;
    }

    @Override
    public boolean add(String name) {
        add(name.toCharArray(), 0, name.length());
        return true;
    }

    @Override
    public void clear() {
        unknown.clear();
        size = 0;
    }

    /** Adds a name that is in a buffer. */
    public void add(char[] buffer, int start, int length) {
        int found = index.find(buffer, start, length, size == 0 ? NodeIndex.NOT_FOUND : at[size - 1]);
        if (found < 0) {
            unknown.put(size, new String(buffer, start, length));
        }
        if (size == at.length) {
            at = Arrays.copyOf(at, 2 * size);
        }
        at[size++] = found;
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
        StringBuilder json = new StringBuilder(name.length());
        for (int at = 0; at < name.length(); at++) {
            char each = name.charAt(at);
            if (each < ' ') {
                json.append("\\u%04x".formatted((int) each));
            } else {
                json.append(each == '"' || each == '\\' ? "\\" : "").append(each);
            }
        }
        return json.toString().getBytes(UTF_8);
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
