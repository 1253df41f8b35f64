package io.numaledger.bridge.verdict;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * What is known of one shape of pod: of each node, by its slot, for one version of the node. Laid out as columns, since a filter call looks
 * at thousands of nodes in turn. Also by condition, for nodes that are alike.
 */
public final class ShapeAnswers {

    private static final int MAX_CONDITIONS = 20_000;
    private static final int FIRST_SLOTS = 64;

    /** The versions are written after the outcomes: whoever sees a version sees its outcome, or a later one. */
    private record Columns(AtomicLongArray versions, AtomicReferenceArray<Outcome> outcomes) {

        Columns(int slots) {
            this(new AtomicLongArray(slots), new AtomicReferenceArray<>(slots));
        }
    }

    private final Map<NodeCondition, Outcome> byCondition = new ConcurrentHashMap<>();
    private final Map<Outcome, Outcome> same = new HashMap<>();
    private volatile Columns columns = new Columns(FIRST_SLOTS);

    ShapeAnswers() {}

    /** Absent if none is known for this version of the node. */
    public Optional<Outcome> of(int slot, long version) {
        Columns now = columns;
        return slot < now.versions().length() && now.versions().get(slot) == version
                ? Optional.of(now.outcomes().get(slot))
                : Optional.empty();
    }

    /**
     * Remembers an answer, unless one for a later version is known.
     *
     * @param version 1 or more, read before the node was looked at
     */
    public synchronized void put(int slot, long version, Outcome outcome) {
        if (slot >= columns.versions().length()) {
            grow(2 * slot);
        }
        if (columns.versions().get(slot) <= version) {
            if (same.size() >= MAX_CONDITIONS) {
                same.clear();
            }
            columns.outcomes().set(slot, same.computeIfAbsent(outcome, any -> any));
            columns.versions().set(slot, version);
        }
    }

    private void grow(int slots) {
        Columns before = columns;
        Columns after = new Columns(slots);
        for (int slot = 0; slot < before.versions().length(); slot++) {
            after.outcomes().set(slot, before.outcomes().get(slot));
            after.versions().set(slot, before.versions().get(slot));
        }
        columns = after;
    }

    Optional<Outcome> of(NodeCondition condition) {
        return Optional.ofNullable(byCondition.get(condition));
    }

    void put(NodeCondition condition, Outcome outcome) {
        if (byCondition.size() >= MAX_CONDITIONS) {
            byCondition.clear();
        }
        byCondition.put(condition, outcome);
    }
}
