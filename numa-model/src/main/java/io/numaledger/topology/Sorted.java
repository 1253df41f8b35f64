package io.numaledger.topology;

import java.util.Collection;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.UnaryOperator;

/** Unmodifiable sorted copies, for records whose order reaches the outside. A copy of such a copy is the copy itself. */
public final class Sorted {

    private Sorted() {}

    public static <K extends Comparable<? super K>, V> SortedMap<K, V> sorted(Map<K, V> map) {
        return ImmutableSortedMap.of(map);
    }

    public static <E extends Comparable<? super E>> SortedSet<E> sortedSet(Collection<E> elements) {
        return ImmutableSortedSet.of(elements);
    }

    /** @param copy of a value, which is a map or a set itself; the value where it is such a copy */
    public static <K extends Comparable<? super K>, V> SortedMap<K, V> sorted(Map<K, V> map, UnaryOperator<V> copy) {
        return ImmutableSortedMap.of(map).withValues(copy);
    }

    /** The map with one entry more, or another value. */
    public static <K extends Comparable<? super K>, V> SortedMap<K, V> with(Map<K, V> map, K key, V value) {
        return ImmutableSortedMap.of(map).with(key, value);
    }

    /** The map without this key. */
    public static <K extends Comparable<? super K>, V> SortedMap<K, V> without(Map<K, V> map, K key) {
        return ImmutableSortedMap.of(map).without(key);
    }
}
