package io.numaledger.topology;

import org.jspecify.annotations.Nullable;

import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.SortedSet;
import java.util.TreeSet;

/** A sorted set that nobody changes, as one array. */
@SuppressWarnings("JdkObsolete") // SortedSet: what the records have
final class ImmutableSortedSet<E extends Comparable<? super E>> extends AbstractSet<E> implements SortedSet<E> {

    private final List<E> elements;

    /** @param elements sorted, each once */
    private ImmutableSortedSet(List<E> elements) {
        this.elements = List.copyOf(elements);
    }

    static <E extends Comparable<? super E>> ImmutableSortedSet<E> of(Collection<E> elements) {
        return elements instanceof ImmutableSortedSet<E> same
                ? same
                : new ImmutableSortedSet<>(new ArrayList<>(new TreeSet<>(elements)));
    }

    /** Where an element is, or else {@code -1 - position}. */
    @SuppressWarnings("unchecked") // as in a TreeSet, comparing an element of another type throws
    int find(Object element) {
        return Collections.binarySearch(elements, (E) element);
    }

    E get(int at) {
        return elements.get(at);
    }

    ImmutableSortedSet<E> with(int at, E element) {
        List<E> more = new ArrayList<>(elements);
        more.add(at, element);
        return new ImmutableSortedSet<>(more);
    }

    ImmutableSortedSet<E> without(int at) {
        List<E> rest = new ArrayList<>(elements);
        rest.remove(at);
        return new ImmutableSortedSet<>(rest);
    }

    boolean hasSameElements(ImmutableSortedSet<?> other) {
        return elements.equals(other.elements);
    }

    @Override
    public boolean contains(Object element) {
        return find(element) >= 0;
    }

    @Override
    public int size() {
        return elements.size();
    }

    @Override
    public Iterator<E> iterator() {
        return elements.iterator();
    }

    @Override
    public @Nullable Comparator<? super E> comparator() {
        return null;
    }

    @Override
    public SortedSet<E> subSet(E from, E to) {
        return of(new TreeSet<>(elements).subSet(from, to));
    }

    @Override
    public SortedSet<E> headSet(E to) {
        return of(new TreeSet<>(elements).headSet(to));
    }

    @Override
    public SortedSet<E> tailSet(E from) {
        return of(new TreeSet<>(elements).tailSet(from));
    }

    @Override
    public E first() {
        return end(0);
    }

    @Override
    public E last() {
        return end(size() - 1);
    }

    private E end(int at) {
        if (isEmpty()) {
            throw new NoSuchElementException("an empty set has no first and no last element; ask whether it is empty");
        }
        return elements.get(at);
    }
}
