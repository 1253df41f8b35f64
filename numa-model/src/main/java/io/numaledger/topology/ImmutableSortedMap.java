package io.numaledger.topology;

import org.jspecify.annotations.Nullable;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;

/** A sorted map that nobody changes, as two arrays. */
@SuppressWarnings("JdkObsolete") // SortedMap: what the records have
final class ImmutableSortedMap<K extends Comparable<? super K>, V> extends AbstractMap<K, V>
        implements SortedMap<K, V> {

    private final ImmutableSortedSet<K> keys;
    private final List<V> values;

    private ImmutableSortedMap(ImmutableSortedSet<K> keys, Collection<V> values) {
        this.keys = keys;
        this.values = List.copyOf(values);
    }

    static <K extends Comparable<? super K>, V> ImmutableSortedMap<K, V> of(Map<K, V> map) {
        if (map instanceof ImmutableSortedMap<K, V> same) {
            return same;
        }
        TreeMap<K, V> sorted = new TreeMap<>(map);
        return new ImmutableSortedMap<>(ImmutableSortedSet.of(sorted.keySet()), sorted.values());
    }

    ImmutableSortedMap<K, V> with(K key, V value) {
        int at = keys.find(key);
        List<V> more = new ArrayList<>(values);
        if (at >= 0) {
            more.set(at, value);
            return new ImmutableSortedMap<>(keys, more);
        }
        more.add(-1 - at, value);
        return new ImmutableSortedMap<>(keys.with(-1 - at, key), more);
    }

    ImmutableSortedMap<K, V> without(K key) {
        int at = keys.find(key);
        if (at < 0) {
            return this;
        }
        List<V> rest = new ArrayList<>(values);
        rest.remove(at);
        return new ImmutableSortedMap<>(keys.without(at), rest);
    }

    @SuppressWarnings("ReferenceEquality") // asks whether anything was copied
    ImmutableSortedMap<K, V> withValues(UnaryOperator<V> copy) {
        for (V value : values) {
            if (copy.apply(value) != value) {
                return new ImmutableSortedMap<>(keys, values.stream().map(copy).toList());
            }
        }
        return this;
    }

    @Override
    public @Nullable V get(Object key) {
        int at = keys.find(key);
        return at < 0 ? null : values.get(at);
    }

    @Override
    public boolean containsKey(Object key) {
        return keys.contains(key);
    }

    @Override
    public int size() {
        return values.size();
    }

    @Override
    public Set<K> keySet() {
        return keys;
    }

    @Override
    public Collection<V> values() {
        return values;
    }

    @Override
    public void forEach(BiConsumer<? super K, ? super V> action) {
        for (int at = 0; at < values.size(); at++) {
            action.accept(keys.get(at), values.get(at));
        }
    }

    @Override
    public Set<Entry<K, V>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Entry<K, V>> iterator() {
                Iterator<K> key = keys.iterator();
                Iterator<V> value = values.iterator();
                return new Iterator<>() {
                    @Override
                    public boolean hasNext() {
                        return key.hasNext();
                    }

                    @Override
                    public Entry<K, V> next() {
                        return Map.entry(key.next(), value.next());
                    }
                };
            }

            @Override
            public int size() {
                return values.size();
            }
        };
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ImmutableSortedMap<?, ?> same
                ? keys.hasSameElements(same.keys) && values.equals(same.values)
                : super.equals(other);
    }

    @Override
    public int hashCode() {
        int sum = 0;
        for (int at = 0; at < values.size(); at++) {
            sum += keys.get(at).hashCode() ^ values.get(at).hashCode();
        }
        return sum;
    }

    @Override
    public @Nullable Comparator<? super K> comparator() {
        return null;
    }

    @Override
    public SortedMap<K, V> subMap(K from, K to) {
        return of(new TreeMap<>(this).subMap(from, to));
    }

    @Override
    public SortedMap<K, V> headMap(K to) {
        return of(new TreeMap<>(this).headMap(to));
    }

    @Override
    public SortedMap<K, V> tailMap(K from) {
        return of(new TreeMap<>(this).tailMap(from));
    }

    @Override
    public K firstKey() {
        return keys.first();
    }

    @Override
    public K lastKey() {
        return keys.last();
    }
}
