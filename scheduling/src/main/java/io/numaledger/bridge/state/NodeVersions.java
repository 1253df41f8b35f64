package io.numaledger.bridge.state;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The version of each node's state, by the node's slot. Every change of any node takes the next number, so that a version also
 * says when the node changed. The slot of a removed node is given to another. Thread-safe.
 */
public final class NodeVersions {

    private static final int FIRST_SLOTS = 64;

    private final ClusterChanges changes;
    private final Deque<Integer> free = new ArrayDeque<>();
    private int taken;
    private volatile long last = 1;
    private volatile AtomicLongArray versions = ones(FIRST_SLOTS);

    /** @param changes is told each change */
    NodeVersions(ClusterChanges changes) {
        this.changes = changes;
    }

    private static AtomicLongArray ones(int slots) {
        long[] ones = new long[slots];
        Arrays.fill(ones, 1);
        return new AtomicLongArray(ones);
    }

    /** Takes a slot that no other node has, at a version that it never had. */
    synchronized int take() {
        if (!free.isEmpty()) {
            return free.pop();
        }
        AtomicLongArray now = versions;
        if (taken == now.length()) {
            AtomicLongArray more = ones(2 * taken);
            for (int slot = 0; slot < taken; slot++) {
                more.set(slot, now.get(slot));
            }
            versions = more;
        }
        return taken++;
    }

    /** The number of slots that nodes have or had. */
    public synchronized int slots() {
        return taken;
    }

    synchronized void give(int slot) {
        raise(slot);
        free.push(slot);
    }

    synchronized void raise(int slot) {
        long next = last + 1;
        versions.set(slot, next);
        last = next;
        changes.changed();
    }

    /** The last version that was given: later changes get higher ones. */
    public long last() {
        return last;
    }

    /** The version of a node; 1 or more. */
    public long get(int slot) {
        return versions.get(slot);
    }

    /** The slots of the nodes that changed after this version. */
    public BitSet changedSince(long version, NodeIndex index) {
        BitSet slots = new BitSet();
        for (int at = 0; at < index.size(); at++) {
            if (get(index.slot(at)) > version) {
                slots.set(index.slot(at));
            }
        }
        return slots;
    }
}
