package io.numaledger.evaluation.fit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Caches one value per node, by the node's slot, each valid for one version of the node. Uses arrays, because a filter call
 * reads thousands of nodes in turn. Thread-safe.
 */
public final class SlotCache<T> {

    private static final int FIRST_SLOTS = 64;

    /** Values to be stored in one step, so that threads do not compete for the lock at each value. Not thread-safe. */
    public static final class Batch<T> {

        private final int nodeSlots;
        private final List<T> values = new ArrayList<>();
        private int[] slots = new int[FIRST_SLOTS];
        private long[] versions = new long[FIRST_SLOTS];

        /** @param nodeSlots the number of slots that the nodes have; the cache gets no larger than needed for them */
        public Batch(int nodeSlots) {
            this.nodeSlots = nodeSlots;
        }

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

    /** Versions are written after values: a reader that sees a version sees its value, or a later one. */
    private record Rows<T>(AtomicLongArray versions, AtomicReferenceArray<T> values) {

        Rows(int slots) {
            this(new AtomicLongArray(slots), new AtomicReferenceArray<>(slots));
        }
    }

    private volatile Rows<T> rows = new Rows<>(FIRST_SLOTS);

    /** The value for this version of the node; absent if there is none. */
    public Optional<T> get(int slot, long version) {
        Rows<T> now = rows;
        return slot < now.versions().length() && now.versions().get(slot) == version
                ? Optional.of(now.values().get(slot))
                : Optional.empty();
    }

    /**
     * Stores a value, unless one for a later version is stored.
     *
     * @param version 1 or more, read before the node was evaluated
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

    /** Stores several values. */
    public synchronized void put(Batch<T> batch) {
        if (batch.size() > 0 && batch.nodeSlots > rows.versions().length()) {
            grow(batch.nodeSlots);
        }
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
