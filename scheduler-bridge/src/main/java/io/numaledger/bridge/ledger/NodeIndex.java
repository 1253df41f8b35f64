package io.numaledger.bridge.ledger;

import java.util.Arrays;
import java.util.Map;

/**
 * The nodes of one moment, to be found by name. A filter call looks up thousands: the names lie in one block of memory, in a hash table
 * with open addressing, so that the look-up stays in the processor's cache.
 */
final class NodeIndex {

    private static final int FREE = -1;

    private final long coming;
    private final NodeEntry[] entries;
    private final int[] slots;
    private final int[] starts;
    private final char[] text;
    private final int[] table;

    private NodeIndex(long coming, String[] names, NodeEntry[] entries) {
        this.coming = coming;
        this.entries = entries;
        this.slots = Arrays.stream(entries).mapToInt(NodeEntry::slot).toArray();
        this.starts = new int[names.length + 1];
        for (int at = 0; at < names.length; at++) {
            starts[at + 1] = starts[at] + names[at].length();
        }
        this.text = String.join("", names).toCharArray();
        this.table = new int[Math.max(2, Integer.highestOneBit(names.length) * 4)];
        Arrays.fill(table, FREE);
        for (int at = 0; at < names.length; at++) {
            table[place(names[at])] = at;
        }
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
        return table[place(name)];
    }

    int size() {
        return entries.length;
    }

    String name(int at) {
        return new String(text, starts[at], starts[at + 1] - starts[at]);
    }

    NodeEntry entry(int at) {
        return entries[at];
    }

    int slot(int at) {
        return slots[at];
    }

    /** Where it stands in the table, or would. */
    private int place(String name) {
        int mask = table.length - 1;
        int hash = name.hashCode();
        int place = (hash ^ (hash >>> 16)) & mask;
        while (table[place] != FREE && !is(table[place], name)) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private boolean is(int at, String name) {
        int start = starts[at];
        int length = starts[at + 1] - start;
        if (name.length() != length) {
            return false;
        }
        for (int i = length - 1; i >= 0; i--) {
            if (name.charAt(i) != text[start + i]) {
                return false;
            }
        }
        return true;
    }
}
