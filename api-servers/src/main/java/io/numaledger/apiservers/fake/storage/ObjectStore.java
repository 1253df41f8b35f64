package io.numaledger.apiservers.fake.storage;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiservers.fake.resource.ObjectMeta;
import io.numaledger.apiservers.fake.resource.ResourceType;
import io.numaledger.apiservers.fake.status.ApiError;

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
 * All objects and their latest changes, behind one lock and with one revision counter. Stored objects are immutable:
 * readers share them, and a write stores a copy.
 */
public final class ObjectStore {

    /** A snapshot of the objects of one type, by path. */
    public record Listing(long revision, SortedMap<String, ObjectNode> objects) {}

    /** The changes up to a revision, oldest first. */
    public record Changes(long revision, List<Change> changes) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final SortedMap<String, SortedMap<String, ObjectNode>> objects = new TreeMap<>();
    private final Deque<Change> history = new ArrayDeque<>();
    private final int historyLimit;
    private long revision = 1;
    private long compacted;
    private long watchCuts;

    /** @param historyLimit how many changes are kept for watches */
    public ObjectStore(int historyLimit) {
        this.historyLimit = historyLimit;
    }

    /** Runs several reads and writes atomically. */
    public <T> T atomically(Supplier<T> work) {
        lock.lock();
        try {
            return work.get();
        } finally {
            lock.unlock();
        }
    }

    public long revision() {
        return atomically(() -> revision);
    }

    public Optional<ObjectNode> get(ObjectKey key) {
        return atomically(() -> Optional.ofNullable(of(key.type()).get(key.path())));
    }

    public Listing list(ResourceType type) {
        return atomically(() -> new Listing(revision, new TreeMap<>(of(type))));
    }

    /**
     * Returns the objects at a past revision.
     *
     * @throws ApiError if the history does not reach back that far
     */
    public Listing listAt(ResourceType type, long past) {
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

    /** Stores a copy of the object with the next revision as its resource version, and returns the copy. */
    public ObjectNode put(ObjectKey key, ObjectNode object) {
        return atomically(() -> {
            ObjectNode stored = object.deepCopy();
            long next = ++revision;
            ObjectMeta.of(stored).setResourceVersion(next);
            ObjectNode before = of(key.type()).put(key.path(), stored);
            record(new Change(next, key, Optional.ofNullable(before), Optional.of(stored)));
            return stored;
        });
    }

    /** Removes the object. The deletion increases the revision. */
    public void remove(ObjectKey key) {
        atomically(() -> {
            ObjectNode before = of(key.type()).remove(key.path());
            record(new Change(++revision, key, Optional.ofNullable(before), Optional.empty()));
            return revision;
        });
    }

    /**
     * Returns the changes of one type after a revision. Waits for a change of any type, for at most the given time, or
     * until all watches are cut.
     *
     * @param cutsSeen the value of {@link #watchCuts()} when the watch began
     * @throws ApiError if the history does not reach back that far
     */
    public Changes changesAfter(ResourceType type, long since, long cutsSeen, Duration wait)
            throws InterruptedException {
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

    /** Waits until the store has reached the revision, for at most the given time. Returns whether it has. */
    public boolean awaitRevision(long wanted, Duration wait) throws InterruptedException {
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

    /** Discards the history: a client that needs changes since an earlier revision must list again. */
    public void compact() {
        atomically(() -> {
            history.clear();
            compacted = revision;
            return compacted;
        });
    }

    /** Wakes all watches, so that they can end. */
    public void cutWatches() {
        atomically(() -> {
            changed.signalAll();
            return ++watchCuts;
        });
    }

    /** How many times all watches were cut. */
    public long watchCuts() {
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
