package io.numaledger.bridge.ledger;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import io.numaledger.bridge.ledger.NamedNodes.NameTaker;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;

/**
 * The nodes of one moment, to be found by name. A filter call looks up thousands: the names lie in one block of memory, so that the look-up
 * stays in the processor's cache, and kube-scheduler names them in much the same order each time, so that the next one is mostly known
 * before its name is read.
 */
final class NodeIndex {

    private static final int FREE = -1;

    private final long coming;
    private final NodeEntry[] entries;
    private final int[] slots;
    private final int[] starts;
    private final char[] text;
    /** The same names as JSON has them between quotes, and where each starts. */
    private final byte[] json;

    private final int[] jsonStarts;
    private final int[] table;
    /** Which one was named after each, last time. Written by any thread; a stale one costs a look at the table. */
    private final int[] followers;

    private NodeIndex(long coming, String[] names, NodeEntry[] entries) {
        this.coming = coming;
        this.entries = entries;
        this.slots = Arrays.stream(entries).mapToInt(NodeEntry::slot).toArray();
        this.starts = new int[names.length + 1];
        for (int at = 0; at < names.length; at++) {
            starts[at + 1] = starts[at] + names[at].length();
        }
        this.text = String.join("", names).toCharArray();
        ByteArrayBuilder jsonNames = new ByteArrayBuilder();
        this.jsonStarts = new int[names.length + 1];
        for (int at = 0; at < names.length; at++) {
            jsonNames.write(JsonStringEncoder.getInstance().quoteAsUTF8(names[at]));
            jsonStarts[at + 1] = jsonNames.size();
        }
        this.json = jsonNames.toByteArray();
        this.table = new int[Math.max(2, Integer.highestOneBit(names.length) * 4)];
        Arrays.fill(table, FREE);
        for (int at = 0; at < names.length; at++) {
            table[place(text, starts[at], names[at].length())] = at;
        }
        this.followers = new int[names.length];
        Arrays.setAll(followers, at -> Math.min(at + 1, names.length - 1));
    }

    /** @param coming how many nodes had come and gone before it was made */
    static NodeIndex of(long coming, Map<String, NodeEntry> nodes) {
        Map<String, NodeEntry> now = Map.copyOf(nodes);
        String[] names = now.keySet().stream().sorted().toArray(String[]::new);
        return new NodeIndex(coming, names, Arrays.stream(names).map(now::get).toArray(NodeEntry[]::new));
    }

    long coming() {
        return coming;
    }

    /** Its position; negative: there is none of this name. */
    int find(String name) {
        return table[place(name.toCharArray(), 0, name.length())];
    }

    /**
     * The same of a name in a buffer.
     *
     * @param before the position of the node that was named before it, negative if unknown
     */
    int find(char[] buffer, int start, int length, int before) {
        if (before >= 0) {
            int likely = followers[before];
            if (is(likely, buffer, start, length)) {
                return likely;
            }
        }
        int at = table[place(buffer, start, length)];
        if (before >= 0 && at >= 0) {
            followers[before] = at;
        }
        return at;
    }

    int size() {
        return entries.length;
    }

    String name(int at) {
        return new String(text, starts[at], starts[at + 1] - starts[at]);
    }

    void give(int at, NameTaker taker) throws IOException {
        taker.take(json, jsonStarts[at], jsonStarts[at + 1] - jsonStarts[at]);
    }

    NodeEntry entry(int at) {
        return entries[at];
    }

    int slot(int at) {
        return slots[at];
    }

    /** Where it stands in the table, or would. */
    private int place(char[] buffer, int start, int length) {
        int mask = table.length - 1;
        int hash = 0;
        for (int i = start; i < start + length; i++) {
            hash = 31 * hash + buffer[i];
        }
        int place = (hash ^ (hash >>> 16)) & mask;
        while (table[place] != FREE && !is(table[place], buffer, start, length)) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private boolean is(int at, char[] buffer, int start, int length) {
        return Arrays.equals(text, starts[at], starts[at + 1], buffer, start, start + length);
    }
}
