package io.numaledger.bridge.verdict;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What is known of each node, by its slot, for one version of the node. In arrays, since a filter call looks at thousands of nodes in
 * turn.
 */
public final class Column<T> {

    private static final int FIRST_SLOTS = 64;

    /** Values to be remembered in one step: threads that work out thousands would wait for each other at each. Not for several threads. */
    public static final class Batch<T> {

        private final List<T> values = new ArrayList<>();
        private int[] slots = new int[FIRST_SLOTS];
        private long[] versions = new long[FIRST_SLOTS];

        public void add(int slot, long version, T value) {
            int at = values.size();
            if (at == slots.length) {
                slots = Arrays.copyOf(slots, 2 * at);
                versions = Arrays.copyOf(versions, 2 * at);
            }
            slots[at] = slot;
            versions[at] = version;
            values.add(value);
        }

        public int size() {
            return values.size();
        }
    }

    /** The versions are written after the values: whoever sees a version sees its value, or a later one. */
    private record Rows<T>(AtomicLongArray versions, AtomicReferenceArray<T> values) {

        Rows(int slots) {
            this(new AtomicLongArray(slots), new AtomicReferenceArray<>(slots));
        }
    }

    private volatile Rows<T> rows = new Rows<>(FIRST_SLOTS);

    /** Absent if none is known for this version of the node. */
    public Optional<T> of(int slot, long version) {
        Rows<T> now = rows;
        return slot < now.versions().length() && now.versions().get(slot) == version
                ? Optional.of(now.values().get(slot))
                : Optional.empty();
    }

    /**
     * Remembers a value, unless one for a later version is known.
     *
     * @param version 1 or more, read before the node was looked at
     */
    public synchronized void put(int slot, long version, T value) {
        if (slot >= rows.versions().length()) {
            grow(2 * slot);
        }
        if (rows.versions().get(slot) <= version) {
            rows.values().set(slot, value);
            rows.versions().set(slot, version);
        }
    }

    /** The same of several. */
    public synchronized void put(Batch<T> batch) {
        for (int i = 0; i < batch.size(); i++) {
            put(batch.slots[i], batch.versions[i], batch.values.get(i));
        }
    }

    private void grow(int slots) {
        Rows<T> before = rows;
        Rows<T> after = new Rows<>(slots);
        for (int slot = 0; slot < before.versions().length(); slot++) {
            after.values().set(slot, before.values().get(slot));
            after.versions().set(slot, before.versions().get(slot));
        }
        rows = after;
    }
}
