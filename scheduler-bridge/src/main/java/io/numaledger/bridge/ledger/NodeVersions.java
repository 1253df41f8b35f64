package io.numaledger.bridge.ledger;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When what is known of each node was last taken back, by the node's slot, in a count of all such changes. A slot of a node that is gone is
 * given to another.
 */
final class NodeVersions {

    private static final int FIRST_SLOTS = 64;

    private final Deque<Integer> free = new ArrayDeque<>();
    private int taken;
    private volatile long changes = 1;
    private volatile AtomicLongArray versions = ones(FIRST_SLOTS);

    private static AtomicLongArray ones(int slots) {
        long[] ones = new long[slots];
        Arrays.fill(ones, 1);
        return new AtomicLongArray(ones);
    }

    /** A slot that no other node has, at a version that it never had. */
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

    synchronized void give(int slot) {
        raise(slot);
        free.push(slot);
    }

    synchronized void raise(int slot) {
        long next = changes + 1;
        versions.set(slot, next);
        changes = next;
    }

    /** What changes from now on gets a higher version. */
    long changes() {
        return changes;
    }

    /** 1 or more. */
    long get(int slot) {
        return versions.get(slot);
    }
}
