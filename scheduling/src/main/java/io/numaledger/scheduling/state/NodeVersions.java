package io.numaledger.scheduling.state;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The version of each node's state, by the node's slot. Every change of any node takes the next number, so that a version also
 * says when the node changed. Some states end although nothing changes: their version is valid until then. The slot of a removed node is
 * given to another. Thread-safe.
 */
public final class NodeVersions {

    private static final int FIRST_SLOTS = 64;
    private static final long NO_END = Long.MAX_VALUE;

    private final ClusterChanges changes;
    private final InstantSource clock;
    private final Deque<Integer> free = new ArrayDeque<>();
    private int taken;
    private volatile long last = 1;
    private volatile AtomicLongArray versions = filled(FIRST_SLOTS, 1);

    /** In seconds: nodes are so many that a call compares them with one number. */
    private volatile AtomicLongArray ends = filled(FIRST_SLOTS, NO_END);

    /** @param changes is told each change */
    NodeVersions(ClusterChanges changes, InstantSource clock) {
        this.changes = changes;
        this.clock = clock;
    }

    private static AtomicLongArray filled(int slots, long value) {
        long[] values = new long[slots];
        Arrays.fill(values, value);
        return new AtomicLongArray(values);
    }

    private static AtomicLongArray grown(AtomicLongArray now, long value) {
        AtomicLongArray more = filled(2 * now.length(), value);
        for (int slot = 0; slot < now.length(); slot++) {
            more.set(slot, now.get(slot));
        }
        return more;
    }

    /** Takes a slot that no other node has, at a version that it never had. */
    synchronized int take() {
        if (!free.isEmpty()) {
            return free.pop();
        }
        if (taken == versions.length()) {
            ends = grown(ends, NO_END);
            versions = grown(versions, 1);
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
        next(slot);
        ends.set(slot, NO_END); // after the version: who reads the old one finds that it has ended
        changes.changed();
    }

    /** Something beside the node's own state has changed: the state ends when it did before. */
    synchronized void raiseUntilEnd(int slot) {
        next(slot);
        changes.changed();
    }

    private void next(int slot) {
        long next = last + 1;
        versions.set(slot, next);
        last = next;
    }

    /** The state of a node at its version ends then; absent: with the next change. */
    synchronized void end(int slot, Optional<Instant> at) {
        ends.set(slot, at.map(Instant::getEpochSecond).orElse(NO_END));
    }

    /** The current second, for {@link #isValidAt}. */
    public long second() {
        return clock.instant().getEpochSecond();
    }

    /** Whether what was found out at a node's version is still true. False in the last second of the state, too. */
    public boolean isValidAt(long second, int slot) {
        return second < ends.get(slot);
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
