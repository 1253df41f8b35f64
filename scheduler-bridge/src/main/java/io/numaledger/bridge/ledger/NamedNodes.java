package io.numaledger.bridge.ledger;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

import java.io.IOException;
import java.util.AbstractList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The names of nodes in the order of a call, each looked up as it comes. May hold a name twice, and names of which the ledger knows no node. */
public final class NamedNodes extends AbstractList<String> {

    private static final int FIRST = 128;

    /**
     * Takes a name that lies in a buffer as JSON wants it between quotes: thousands of strings, each somewhere else in memory, would take longer to
     * fetch than to write.
     */
    @FunctionalInterface
    public interface NameTaker {
        void take(byte[] buffer, int start, int length) throws IOException;
    }

    private final NodeIndex index;
    private final Map<Integer, String> unknown = new HashMap<>();
    private int[] at = new int[FIRST];
    private int size;

    NamedNodes(NodeIndex index) {
        this.index = index;
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

    /** A name that lies in a buffer. */
    public void add(char[] buffer, int start, int length) {
        int found = index.find(buffer, start, length, size == 0 ? -1 : at[size - 1]);
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
        return found < 0 ? unknown.get(place) : index.name(found);
    }

    /** Gives away the name that stands there. */
    public void give(int place, NameTaker taker) throws IOException {
        int found = at(place);
        if (found < 0) {
            byte[] name = JsonStringEncoder.getInstance().quoteAsUTF8(get(place));
            taker.take(name, 0, name.length);
        } else {
            index.give(found, taker);
        }
    }

    @Override
    public int size() {
        return size;
    }

    NodeIndex index() {
        return index;
    }

    /** The position in the index; negative: no such node. */
    int at(int place) {
        if (place >= size) {
            throw new IndexOutOfBoundsException("place=%d size=%d".formatted(place, size));
        }
        return at[place];
    }
}
