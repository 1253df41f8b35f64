package io.numaledger.agent.api;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * What a watch has shown so far. A change is told to the listener only if the part that we need of an object changed; what we
 * wrote ourselves is entered at once, so that its echo is none.
 */
final class WatchedCollection<T> {

    private final Map<String, Watched<T>> byKey = new TreeMap<>();
    private final Runnable onChange;
    private final Predicate<T> silent;
    private Optional<Watched<T>> lastRemoved = Optional.empty();
    private boolean complete;

    /** @param silent an object that is new and of which this is true is no change yet */
    WatchedCollection(Runnable onChange, Predicate<T> silent) {
        this.onChange = onChange;
        this.silent = silent;
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

    /** Enters what the API server answered to a write of ours, unless that comes after the news that the object is gone. */
    synchronized void written(Watched<T> object) {
        boolean mayBeGone = !byKey.containsKey(object.key())
                && lastRemoved.filter(object::olderThan).isPresent();
        if (!mayBeGone) {
            enter(object);
        }
    }

    private synchronized boolean enter(Watched<T> object) {
        Watched<T> known = byKey.get(object.key());
        if (known != null && object.olderThan(known)) {
            return false;
        }
        byKey.put(object.key(), object);
        return known == null ? !silent.test(object.value()) : !Objects.equals(known.value(), object.value());
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
