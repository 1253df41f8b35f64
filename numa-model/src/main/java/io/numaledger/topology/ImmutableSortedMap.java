package io.numaledger.topology;

import org.jspecify.annotations.Nullable;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/** An unmodifiable map in natural order, without null. It needs a third of the memory of a TreeMap. */
@SuppressWarnings("JdkObsolete") // records have SortedMaps
final class ImmutableSortedMap<K, V> extends AbstractMap<K, V> implements SortedMap<K, V> {

    private static final ImmutableSortedMap<?, ?> EMPTY = new ImmutableSortedMap<>(new Object[0]);

    /** All keys, ascending, and then their values. */
    private final Object[] table;

    private ImmutableSortedMap(Object[] table) {
        this.table = table;
    }

    @SuppressWarnings("unchecked") // an empty map, and one that cannot be changed, is of any type
    static <K extends Comparable<? super K>, V> ImmutableSortedMap<K, V> of(Map<? extends K, ? extends V> map) {
        if (map instanceof ImmutableSortedMap<?, ?>) {
            return (ImmutableSortedMap<K, V>) map;
        }
        int size = map.size();
        if (size == 0) {
            return (ImmutableSortedMap<K, V>) EMPTY;
        }
        Object[] table = new Object[2 * size];
        int at = 0;
        for (Map.Entry<? extends K, ? extends V> entry : inOrder(map).entrySet()) {
            table[at] = entry.getKey();
            table[size + at++] = entry.getValue();
        }
        return new ImmutableSortedMap<>(table);
    }

    private static <K extends Comparable<? super K>, V> Map<? extends K, ? extends V> inOrder(
            Map<? extends K, ? extends V> map) {
        boolean sorted = map.size() == 1 || (map instanceof SortedMap<?, ?> natural && natural.comparator() == null);
        return sorted ? map : new TreeMap<K, V>(map);
    }

    /** This map with a copy of each value; this object if each copy is the value itself. */
    ImmutableSortedMap<K, V> copy(UnaryOperator<V> copy) {
        Object[] copied = table;
        for (int at = size(); at < table.length; at++) {
            Object value = copy.apply(value(at - size()));
            if (value != table[at]) {
                copied = copied == table ? table.clone() : copied;
                copied[at] = value;
            }
        }
        return copied == table ? this : new ImmutableSortedMap<>(copied);
    }

    /** This map with another value of a key, which may be new. */
    ImmutableSortedMap<K, V> with(K key, V value) {
        int at = first(key);
        boolean known = at < size() && key(at).equals(key);
        int rest = known ? at + 1 : at;
        int size = known ? size() : size() + 1;
        Object[] changed = new Object[2 * size];
        System.arraycopy(table, 0, changed, 0, at);
        changed[at] = key;
        System.arraycopy(table, rest, changed, at + 1, size() - rest + at);
        changed[size + at] = value;
        System.arraycopy(table, size() + rest, changed, size + at + 1, size() - rest);
        return new ImmutableSortedMap<>(changed);
    }

    /** This map without a key, which may be missing. */
    ImmutableSortedMap<K, V> without(K key) {
        int at = find(key);
        if (at < 0) {
            return this;
        }
        Object[] changed = new Object[table.length - 2];
        System.arraycopy(table, 0, changed, 0, at);
        System.arraycopy(table, at + 1, changed, at, size() - 1);
        System.arraycopy(table, size() + at + 1, changed, size() - 1 + at, size() - 1 - at);
        return new ImmutableSortedMap<>(changed);
    }

    @SuppressWarnings("unchecked")
    private K key(int at) {
        return (K) table[at];
    }

    @SuppressWarnings("unchecked")
    private V value(int at) {
        return (V) table[size() + at];
    }

    /** The position of a key; less than 0 if it is not there. */
    private int find(@Nullable Object key) {
        return Arrays.binarySearch(table, 0, size(), key);
    }

    @Override
    public int size() {
        return table.length / 2;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return find(key) >= 0;
    }

    @Override
    public @Nullable V get(@Nullable Object key) {
        int at = find(key);
        return at < 0 ? null : value(at);
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> action) {
        for (int at = 0; at < size(); at++) {
            action.accept(key(at), value(at));
        }
    }

    /** The keys, which are not kept, as all views: a map needs no memory for them. */
    @Override
    public Set<K> keySet() {
        return ImmutableSortedSet.ofSorted(Arrays.copyOf(table, size()));
    }

    @Override
    @SuppressWarnings("unchecked")
    public Collection<V> values() {
        return (Collection<V>) Collections.unmodifiableList(Arrays.asList(table).subList(size(), table.length));
    }

    @Override
    public Set<Map.Entry<K, V>> entrySet() {
        return new Entries();
    }

    private final class Entries extends AbstractSet<Map.Entry<K, V>> {

        @Override
        public int size() {
            return ImmutableSortedMap.this.size();
        }

        @Override
        public Iterator<Map.Entry<K, V>> iterator() {
            return new Iterator<>() {
                private int next;

                @Override
                public boolean hasNext() {
                    return next < size();
                }

                @Override
                public Map.Entry<K, V> next() {
                    if (!hasNext()) {
                        throw new NoSuchElementException();
                    }
                    return Map.entry(key(next), value(next++));
                }
            };
        }
    }

    @Override
    public @Nullable Comparator<? super K> comparator() {
        return null;
    }

    @Override
    public SortedMap<K, V> subMap(K from, K to) {
        return slice(first(from), first(to));
    }

    @Override
    public SortedMap<K, V> headMap(K to) {
        return slice(0, first(to));
    }

    @Override
    public SortedMap<K, V> tailMap(K from) {
        return slice(first(from), size());
    }

    /** The position of the first key that is not less. */
    private int first(K key) {
        int at = find(key);
        return at < 0 ? -at - 1 : at;
    }

    private SortedMap<K, V> slice(int from, int to) {
        if (from > to) {
            throw new IllegalArgumentException("the first key of a part of a map is greater than the last one");
        }
        Object[] part = new Object[2 * (to - from)];
        System.arraycopy(table, from, part, 0, to - from);
        System.arraycopy(table, size() + from, part, to - from, to - from);
        return new ImmutableSortedMap<>(part);
    }

    @Override
    public K firstKey() {
        return key(existing(0));
    }

    @Override
    public K lastKey() {
        return key(existing(size() - 1));
    }

    private int existing(int at) {
        if (isEmpty()) {
            throw new NoSuchElementException("the map is empty");
        }
        return at;
    }
}
