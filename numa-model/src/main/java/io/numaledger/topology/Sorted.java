package io.numaledger.topology;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.UnaryOperator;

/**
 * Unmodifiable copies in natural order, for records whose order reaches the outside. They are arrays, because a cluster has millions of
 * them; a copy of a copy is the same object.
 */
public final class Sorted {

    private Sorted() {}

    public static <K extends Comparable<? super K>, V> SortedMap<K, V> sorted(Map<K, V> map) {
        return ImmutableSortedMap.of(map);
    }

    /** A sorted map with a copy of each value. */
    public static <K extends Comparable<? super K>, V> SortedMap<K, V> sorted(Map<K, V> map, UnaryOperator<V> copy) {
        return ImmutableSortedMap.of(map).copy(copy);
    }

    /** A sorted map with another value of a key, which may be new. */
    public static <K extends Comparable<? super K>, V> SortedMap<K, V> with(Map<K, V> map, K key, V value) {
        return ImmutableSortedMap.of(map).with(key, value);
    }

    /** A sorted map without a key, which may be missing. */
    public static <K extends Comparable<? super K>, V> SortedMap<K, V> without(Map<K, V> map, K key) {
        return ImmutableSortedMap.of(map).without(key);
    }

    public static <T extends Comparable<? super T>> SortedSet<T> sortedSet(Collection<T> values) {
        return ImmutableSortedSet.of(values);
    }

    /** Equal values stay in their order, and stay several. */
    public static <T extends Comparable<? super T>> List<T> sortedList(Collection<T> values) {
        return List.copyOf(values.size() < 2 ? values : values.stream().sorted().toList());
    }
}
