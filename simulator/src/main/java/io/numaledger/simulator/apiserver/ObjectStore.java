package io.numaledger.simulator.apiserver;

import com.fasterxml.jackson.databind.node.ObjectNode;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * All objects, and the latest changes to them, under one lock and one revision counter. Objects that were stored are
 * never changed again: readers share them, writers store a copy.
 */
final class ObjectStore {

    /** One consistent picture of the objects of a type, by path. */
    record Listing(long revision, SortedMap<String, ObjectNode> objects) {}

    /** What happened up to a revision. */
    record Changes(long revision, List<Change> changes) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final SortedMap<String, SortedMap<String, ObjectNode>> objects = new TreeMap<>();
    private final Deque<Change> history = new ArrayDeque<>();
    private final int historyLimit;
    private long revision = 1;
    private long compacted;
    private long watchCuts;

    /** @param historyLimit how many changes a watch can go back */
    ObjectStore(int historyLimit) {
        this.historyLimit = historyLimit;
    }

    /** Runs reads and writes as one. */
    <T> T atomically(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    long revision() {
        return atomically(() -> revision);
    }

    Optional<ObjectNode> get(ObjectKey key) {
        return atomically(() -> Optional.ofNullable(of(key.type()).get(key.path())));
    }

    Listing list(ResourceType type) {
        return atomically(() -> new Listing(revision, new TreeMap<>(of(type))));
    }

    /**
     * The objects as they were at a revision that is not newer than the present one.
     *
     * @throws ApiError if the history does not reach back that far
     */
    Listing listAt(ResourceType type, long past) {
        return atomically(() -> {
            if (past < compacted) {
                throw ApiError.expired("The resourceVersion for the provided list is too old.");
            }
            SortedMap<String, ObjectNode> then = new TreeMap<>(of(type));
            Iterator<Change> latest = history.descendingIterator();
            while (latest.hasNext()) {
                Change change = latest.next();
                if (change.revision() > past && isOf(type, change)) {
                    undo(change, then);
                }
            }
            return new Listing(past, then);
        });
    }

    /** Stores the object under the next revision, which becomes its resourceVersion; returns what was stored. */
    ObjectNode put(ObjectKey key, ObjectNode object) {
        return atomically(() -> {
            ObjectNode stored = object.deepCopy();
            long next = ++revision;
            ObjectMeta.of(stored).setResourceVersion(next);
            ObjectNode before = of(key.type()).put(key.path(), stored);
            record(new Change(next, key, Optional.ofNullable(before), Optional.of(stored)));
            return stored;
        });
    }

    /** Removes the object; the deletion has a revision of its own. */
    void remove(ObjectKey key) {
        atomically(() -> {
            ObjectNode before = of(key.type()).remove(key.path());
            record(new Change(++revision, key, Optional.ofNullable(before), Optional.empty()));
            return revision;
        });
    }

    /**
     * The changes of the type after the revision, oldest first; waits up to the given time for a change of any type, or
     * until watches are cut.
     *
     * @param cutsSeen what {@link #watchCuts()} was when the watch began
     * @throws ApiError if the history does not reach back that far
     */
    Changes changesAfter(ResourceType type, long since, long cutsSeen, Duration wait) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = wait.toNanos();
            while (revision <= since && watchCuts == cutsSeen && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            refuseCompacted(since);
            return new Changes(Math.max(since, revision), latest(type, since));
        } finally {
            lock.unlock();
        }
    }

    private void refuseCompacted(long since) {
        if (since < compacted) {
            throw ApiError.expired("too old resource version: %d (%d)".formatted(since, compacted));
        }
    }

    private List<Change> latest(ResourceType type, long since) {
        Deque<Change> found = new ArrayDeque<>();
        Iterator<Change> backwards = history.descendingIterator();
        while (backwards.hasNext()) {
            Change change = backwards.next();
            if (change.revision() <= since) {
                break;
            }
            if (isOf(type, change)) {
                found.addFirst(change);
            }
        }
        return List.copyOf(found);
    }

    /** Waits up to the given time until the store has reached the revision; true if it has. */
    boolean awaitRevision(long wanted, Duration wait) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = wait.toNanos();
            while (revision < wanted && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            return revision >= wanted;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets all history: whoever wants changes since an earlier revision must list again. */
    void compact() {
        atomically(() -> {
            history.clear();
            compacted = revision;
            return compacted;
        });
    }

    /** Ends the wait of all who watch now. */
    void cutWatches() {
        atomically(() -> {
            changed.signalAll();
            return ++watchCuts;
        });
    }

    /** How often all watches were cut. */
    long watchCuts() {
        return atomically(() -> watchCuts);
    }

    private SortedMap<String, ObjectNode> of(ResourceType type) {
        return objects.computeIfAbsent(type.qualifiedName(), name -> new TreeMap<>());
    }

    private void record(Change change) {
        history.addLast(change);
        if (history.size() > historyLimit) {
            compacted = history.removeFirst().revision();
        }
        changed.signalAll();
    }

    private static boolean isOf(ResourceType type, Change change) {
        return change.key().type().qualifiedName().equals(type.qualifiedName());
    }

    private static void undo(Change change, SortedMap<String, ObjectNode> then) {
        if (change.before().isPresent()) {
            then.put(change.key().path(), change.before().get());
        } else {
            then.remove(change.key().path());
        }
    }
}
