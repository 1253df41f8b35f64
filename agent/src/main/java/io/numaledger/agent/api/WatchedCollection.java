package io.numaledger.agent.api;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

import static java.util.Objects.requireNonNull;

/**
 * The objects of a watch. The listener is called only if a relevant part of an object changed, and not for the agent's own writes: their result is stored when the API server answers, and the watch event of the same version is ignored, even if it arrives first.
 */
final class WatchedCollection<T> {

    private final Map<String, Watched<T>> byKey = new TreeMap<>();
    private final Runnable onChange;
    private final Predicate<T> silent;
    private final BiPredicate<T, T> othersChanged;
    private final Map<String, Set<String>> versionsDuringWrite = new HashMap<>();
    private Optional<Watched<T>> lastRemoved = Optional.empty();
    private boolean complete;

    /** A write of ours; what is stored after it, by the API server's answer. */
    interface Write<T> {
        Watched<T> run() throws IOException;
    }

    /**
     * @param silent an object that is new and of which this is true is no change yet
     * @param othersChanged true of two states of an object that differ in what we do not write
     */
    WatchedCollection(Runnable onChange, Predicate<T> silent, BiPredicate<T, T> othersChanged) {
        this.onChange = onChange;
        this.silent = silent;
        this.othersChanged = othersChanged;
    }

    /** All objects, by key; empty until a list was read. */
    synchronized List<T> values() {
        return byKey.values().stream().map(Watched::value).toList();
    }

    synchronized Optional<T> get(String key) {
        return Optional.ofNullable(byKey.get(key)).map(Watched::value);
    }

    /** True once a whole list was read. */
    synchronized boolean complete() {
        return complete;
    }

    void replaceAll(List<Watched<T>> objects) {
        boolean changed;
        synchronized (this) {
            List<T> before = values();
            Map<String, Watched<T>> old = new TreeMap<>(byKey);
            byKey.clear();
            for (Watched<T> object : objects) {
                Watched<T> known = old.get(object.key());
                byKey.put(object.key(), known != null && object.olderThan(known) ? known : object);
            }
            changed = !complete || !before.equals(new ArrayList<>(values()));
            complete = true;
        }
        if (changed) {
            onChange.run();
        }
    }

    void put(Watched<T> object) {
        if (enter(object)) {
            onChange.run();
        }
    }

    /** Writes an object, one write at a time for each key. Calls the listener if another client changed the object meanwhile. */
    void write(String key, Write<T> write) throws IOException {
        synchronized (this) {
            versionsDuringWrite.put(key, new HashSet<>());
        }
        boolean changed = false;
        try {
            changed = written(key, write.run());
        } finally {
            synchronized (this) {
                changed |= !versionsDuringWrite.remove(key).isEmpty();
            }
            if (changed) {
                onChange.run();
            }
        }
    }

    /** Stores the result of a write, unless the object was deleted meanwhile. True if another client changed it, too. */
    private synchronized boolean written(String key, Watched<T> object) {
        requireNonNull(versionsDuringWrite.get(key)).remove(object.resourceVersion());
        Watched<T> known = byKey.get(object.key());
        boolean mayBeGone =
                known == null && lastRemoved.filter(object::olderThan).isPresent();
        if (mayBeGone || (known != null && object.olderThan(known))) {
            return false;
        }
        byKey.put(object.key(), object);
        return known != null && othersChanged.test(known.value(), object.value());
    }

    private synchronized boolean enter(Watched<T> object) {
        Watched<T> known = byKey.get(object.key());
        if (known != null && object.olderThan(known)) {
            return false;
        }
        byKey.put(object.key(), object);
        boolean changed = known == null ? !silent.test(object.value()) : !Objects.equals(known.value(), object.value());
        Set<String> meanwhile = versionsDuringWrite.get(object.key());
        if (changed && meanwhile != null) {
            meanwhile.add(object.resourceVersion());
            return false;
        }
        return changed;
    }

    /** @param object as it was deleted, with the version of its deletion */
    void remove(Watched<T> object) {
        boolean changed;
        synchronized (this) {
            changed = byKey.remove(object.key()) != null;
            lastRemoved = Optional.of(object);
        }
        if (changed) {
            onChange.run();
        }
    }
}
