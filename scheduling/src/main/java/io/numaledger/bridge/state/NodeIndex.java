package io.numaledger.bridge.state;

import io.numaledger.bridge.state.NodeNames.NameWriter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * An immutable index of nodes by name. A filter call looks up thousands of names. They are stored in one block of memory, so that
 * lookups stay in the processor's cache. kube-scheduler names nodes in much the same order each time, so that the next node
 * is mostly known before its name is read. Thread-safe.
 */
public final class NodeIndex {

    static final int NOT_FOUND = -1;

    private final long membershipVersion;
    private final ClusterNode[] nodes;
    private final int[] slots;
    private final int[] starts;
    private final char[] text;
    /** The names as JSON has them between quotes, and where each starts. */
    private final byte[] json;

    private final int[] jsonStarts;
    private final int[] table;
    /** The node that followed each node in the last call. Any thread writes it; a stale entry costs one lookup in the table. */
    private final int[] followers;

    private NodeIndex(long membershipVersion, String[] names, ClusterNode[] nodes) {
        this.membershipVersion = membershipVersion;
        this.nodes = nodes;
        this.slots = Arrays.stream(nodes).mapToInt(ClusterNode::slot).toArray();
        this.starts = new int[names.length + 1];
        for (int at = 0; at < names.length; at++) {
            starts[at + 1] = starts[at] + names[at].length();
        }
        this.text = String.join("", names).toCharArray();
        ByteArrayOutputStream jsonNames = new ByteArrayOutputStream();
        this.jsonStarts = new int[names.length + 1];
        for (int at = 0; at < names.length; at++) {
            jsonNames.writeBytes(NodeNames.json(names[at]));
            jsonStarts[at + 1] = jsonNames.size();
        }
        this.json = jsonNames.toByteArray();
        this.table = new int[Math.max(2, Integer.highestOneBit(names.length) * 4)];
        Arrays.fill(table, NOT_FOUND);
        for (int at = 0; at < names.length; at++) {
            table[tableIndex(text, starts[at], names[at].length())] = at;
        }
        this.followers = new int[names.length];
        Arrays.setAll(followers, at -> Math.min(at + 1, names.length - 1));
    }

    /** @param membershipVersion changes when a node is added or removed */
    static NodeIndex of(long membershipVersion, Map<String, ClusterNode> nodes) {
        Map<String, ClusterNode> now = Map.copyOf(nodes);
        String[] names = now.keySet().stream().sorted().toArray(String[]::new);
        return new NodeIndex(
                membershipVersion, names, Arrays.stream(names).map(now::get).toArray(ClusterNode[]::new));
    }

    long membershipVersion() {
        return membershipVersion;
    }

    /** The slot of the node of this name; empty if there is none. */
    public OptionalInt slot(String name) {
        int at = table[tableIndex(name.toCharArray(), 0, name.length())];
        return at == NOT_FOUND ? OptionalInt.empty() : OptionalInt.of(slots[at]);
    }

    /** The names of the nodes in these slots, in alphabetical order. */
    public List<String> names(BitSet wanted) {
        return IntStream.range(0, nodes.length)
                .filter(at -> wanted.get(slots[at]))
                .mapToObj(this::name)
                .toList();
    }

    /**
     * The position of the node whose name is in a buffer, or {@link #NOT_FOUND}.
     *
     * @param before the position of the node that was named before it; negative if unknown
     */
    int find(char[] buffer, int start, int length, int before) {
        if (before >= 0) {
            int likely = followers[before];
            if (is(likely, buffer, start, length)) {
                return likely;
            }
        }
        int at = table[tableIndex(buffer, start, length)];
        if (before >= 0 && at >= 0) {
            followers[before] = at;
        }
        return at;
    }

    public int size() {
        return nodes.length;
    }

    public String name(int at) {
        return new String(text, starts[at], starts[at + 1] - starts[at]);
    }

    void write(int at, NameWriter writer) throws IOException {
        writer.write(json, jsonStarts[at], jsonStarts[at + 1] - jsonStarts[at]);
    }

    public ClusterNode node(int at) {
        return nodes[at];
    }

    public int slot(int at) {
        return slots[at];
    }

    /** The position of the name in the table, or the free position where it would be. */
    private int tableIndex(char[] buffer, int start, int length) {
        int mask = table.length - 1;
        int hash = 0;
        for (int i = start; i < start + length; i++) {
            hash = 31 * hash + buffer[i];
        }
        int place = (hash ^ (hash >>> 16)) & mask;
        while (table[place] != NOT_FOUND && !is(table[place], buffer, start, length)) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private boolean is(int at, char[] buffer, int start, int length) {
        return Arrays.equals(text, starts[at], starts[at + 1], buffer, start, start + length);
    }
}
