package io.numaledger.topology;

import org.jspecify.annotations.Nullable;

import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** An unmodifiable set in natural order, without null. It needs a third of the memory of a TreeSet. */
@SuppressWarnings("JdkObsolete") // records have SortedSets
final class ImmutableSortedSet<T> extends AbstractSet<T> implements SortedSet<T> {

    private static final ImmutableSortedSet<?> EMPTY = new ImmutableSortedSet<>(new Object[0]);

    /** Most devices and memory blocks have one NUMA node. */
    private static final ImmutableSortedSet<?>[] NUMA_NODES = IntStream.range(0, Long.SIZE)
            .mapToObj(id -> new ImmutableSortedSet<>(new Object[] {id}))
            .toArray(ImmutableSortedSet<?>[]::new);

    private final Object[] values;

    private ImmutableSortedSet(Object[] values) {
        this.values = values;
    }

    @SuppressWarnings("unchecked") // a set that cannot be changed is of any type
    static <T extends Comparable<? super T>> ImmutableSortedSet<T> of(Collection<T> values) {
        if (values instanceof ImmutableSortedSet<?>) {
            return (ImmutableSortedSet<T>) values;
        }
        if (values.isEmpty()) {
            return (ImmutableSortedSet<T>) EMPTY;
        }
        if (values.size() == 1 && values.iterator().next() instanceof Integer id && id >= 0 && id < NUMA_NODES.length) {
            return (ImmutableSortedSet<T>) NUMA_NODES[id];
        }
        boolean sorted = values instanceof SortedSet<?> natural && natural.comparator() == null;
        return new ImmutableSortedSet<>((sorted ? values : new TreeSet<>(values)).toArray());
    }

    /** @param values ascending; they are not copied */
    static <T> SortedSet<T> ofSorted(Object[] values) {
        return new ImmutableSortedSet<>(values);
    }

    @SuppressWarnings("unchecked")
    private T value(int at) {
        return (T) values[at];
    }

    @Override
    public int size() {
        return values.length;
    }

    @Override
    public boolean contains(@Nullable Object value) {
        return Arrays.binarySearch(values, value) >= 0;
    }

    @Override
    public Object[] toArray() {
        return Arrays.copyOf(values, values.length, Object[].class);
    }

    @Override
    public Iterator<T> iterator() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < size();
            }

            @Override
            public T next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return value(next++);
            }
        };
    }

    @Override
    public @Nullable Comparator<? super T> comparator() {
        return null;
    }

    @Override
    public SortedSet<T> subSet(T from, T to) {
        return slice(first(from), first(to));
    }

    @Override
    public SortedSet<T> headSet(T to) {
        return slice(0, first(to));
    }

    @Override
    public SortedSet<T> tailSet(T from) {
        return slice(first(from), size());
    }

    /** The position of the first value that is not less. */
    private int first(T value) {
        int at = Arrays.binarySearch(values, value);
        return at < 0 ? -at - 1 : at;
    }

    private SortedSet<T> slice(int from, int to) {
        if (from > to) {
            throw new IllegalArgumentException("the first value of a part of a set is greater than the last one");
        }
        return new ImmutableSortedSet<>(Arrays.copyOfRange(values, from, to));
    }

    @Override
    public T first() {
        return value(existing(0));
    }

    @Override
    public T last() {
        return value(existing(size() - 1));
    }

    private int existing(int at) {
        if (isEmpty()) {
            throw new NoSuchElementException("the set is empty");
        }
        return at;
    }
}
