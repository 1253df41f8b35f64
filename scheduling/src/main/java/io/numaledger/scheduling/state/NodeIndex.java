package io.numaledger.scheduling.state;

import io.numaledger.scheduling.state.NodeNames.NameWriter;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * An immutable index of nodes by name. A filter call looks up thousands of names: they are stored in one block of memory, as JSON has
 * them between quotes, so that lookups stay in the processor's cache and no string is made. Thread-safe.
 */
public final class NodeIndex {

    static final int NOT_FOUND = -1;

    private static final VarHandle EIGHT_BYTES =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Spreads numbers over all integers: 2^64 divided by the golden ratio (Knuth, volume 3, 6.4). */
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final long membershipVersion;
    private final String[] names;
    private final ClusterNode[] nodes;
    private final int[] slots;
    private final byte[] json;
    private final int[] starts;
    private final int[] table;

    private NodeIndex(long membershipVersion, String[] names, ClusterNode[] nodes) {
        this.membershipVersion = membershipVersion;
        this.names = names;
        this.nodes = nodes;
        this.slots = Arrays.stream(nodes).mapToInt(ClusterNode::slot).toArray();
        ByteArrayOutputStream jsonNames = new ByteArrayOutputStream();
        this.starts = new int[names.length + 1];
        for (int at = 0; at < names.length; at++) {
            jsonNames.writeBytes(NodeNames.json(names[at]));
            starts[at + 1] = jsonNames.size();
        }
        this.json = jsonNames.toByteArray();
        this.table = new int[Math.max(2, Integer.highestOneBit(names.length) * 4)];
        Arrays.fill(table, NOT_FOUND);
        for (int at = 0; at < names.length; at++) {
            table[tableIndex(json, starts[at], starts[at + 1])] = at;
        }
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
        int at = find(NodeNames.json(name));
        return at == NOT_FOUND ? OptionalInt.empty() : OptionalInt.of(slots[at]);
    }

    /** The names of the nodes in these slots, in alphabetical order. */
    public List<String> names(BitSet wanted) {
        return IntStream.range(0, nodes.length)
                .filter(at -> wanted.get(slots[at]))
                .mapToObj(this::name)
                .toList();
    }

    /** The position of the node with a name, as JSON has it between quotes, or {@link #NOT_FOUND}. */
    int find(byte[] name) {
        return find(name, 0, name.length);
    }

    /** The position of the node with a name that is in a buffer, or {@link #NOT_FOUND}. */
    int find(byte[] buffer, int start, int end) {
        return table[tableIndex(buffer, start, end)];
    }

    public int size() {
        return nodes.length;
    }

    public String name(int at) {
        return names[at];
    }

    void write(int at, NameWriter writer) throws IOException {
        writer.write(json, starts[at], starts[at + 1] - starts[at]);
    }

    public ClusterNode node(int at) {
        return nodes[at];
    }

    public int slot(int at) {
        return slots[at];
    }

    /** The position of the name in the table, or the free position where it would be. */
    private int tableIndex(byte[] buffer, int start, int end) {
        int mask = table.length - 1;
        int place = hash(buffer, start, end) & mask;
        while (table[place] != NOT_FOUND && !is(table[place], buffer, start, end)) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private boolean is(int at, byte[] buffer, int start, int end) {
        return Arrays.equals(json, starts[at], starts[at + 1], buffer, start, end);
    }

    /** Eight bytes at a time; the last ones may overlap. */
    private static int hash(byte[] buffer, int start, int end) {
        int length = end - start;
        long hash = length;
        if (length < Long.BYTES) {
            for (int at = start; at < end; at++) {
                hash = mixed(hash, buffer[at]);
            }
        } else {
            for (int at = start; at < end - Long.BYTES; at += Long.BYTES) {
                hash = mixed(hash, (long) EIGHT_BYTES.get(buffer, at));
            }
            hash = mixed(hash, (long) EIGHT_BYTES.get(buffer, end - Long.BYTES));
        }
        return (int) ((hash * MIX) >>> Integer.SIZE); // high bits depend on all others
    }

    private static long mixed(long hash, long next) {
        long mixed = (hash ^ next) * MIX;
        return mixed ^ (mixed >>> Integer.SIZE);
    }
}
