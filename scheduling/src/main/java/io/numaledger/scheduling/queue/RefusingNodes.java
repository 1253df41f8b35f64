package io.numaledger.scheduling.queue;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The nodes that refuse all of some pending pods, by slot, with the version of the node at which they do. Most calls of {@code filter} find
 * the same pods pending. Thread-safe: a node that gets lost when two threads add nodes is evaluated again.
 */
final class RefusingNodes {

    private static final int FIRST_SLOTS = 64;

    private final List<PendingPod> pods;
    private volatile AtomicLongArray versions = new AtomicLongArray(FIRST_SLOTS);

    RefusingNodes() {
        this(List.of());
    }

    private RefusingNodes(List<PendingPod> pods) {
        this.pods = pods;
    }

    /** The nodes that refuse all of these. */
    RefusingNodes of(List<PendingPod> pending) {
        return pods.equals(pending) ? this : new RefusingNodes(pending);
    }

    boolean contains(int slot, long version) {
        AtomicLongArray now = versions;
        return slot < now.length() && now.get(slot) == version;
    }

    /** @param version 1 or more, read before the pods were evaluated */
    void add(int slot, long version) {
        AtomicLongArray now = versions;
        if (slot >= now.length()) {
            AtomicLongArray more = new AtomicLongArray(2 * slot);
            for (int each = 0; each < now.length(); each++) {
                more.set(each, now.get(each));
            }
            now = more;
            versions = more;
        }
        now.set(slot, version);
    }
}
