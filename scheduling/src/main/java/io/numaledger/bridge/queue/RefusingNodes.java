package io.numaledger.bridge.queue;

import java.util.Arrays;
import java.util.List;

/**
 * The nodes that refuse all of some pending pods, by slot, with the version of the node at which they do. Most calls of {@code filter} find
 * the same pods pending. Not thread-safe.
 */
final class RefusingNodes {

    private static final int FIRST_SLOTS = 64;

    private List<PendingPod> pods = List.of();
    private long[] versions = new long[FIRST_SLOTS];

    /** The nodes that refuse all of these. */
    RefusingNodes of(List<PendingPod> pending) {
        if (!pods.equals(pending)) {
            pods = pending;
            Arrays.fill(versions, 0);
        }
        return this;
    }

    boolean contains(int slot, long version) {
        return slot < versions.length && versions[slot] == version;
    }

    /** @param version 1 or more, read before the pods were evaluated */
    void add(int slot, long version) {
        if (slot >= versions.length) {
            versions = Arrays.copyOf(versions, 2 * slot);
        }
        versions[slot] = version;
    }
}
