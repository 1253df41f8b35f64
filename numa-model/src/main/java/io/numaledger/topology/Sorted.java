package io.numaledger.topology;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Unmodifiable sorted copies, for records whose order reaches the outside. */
public final class Sorted {

    private Sorted() {}

    public static <K extends Comparable<? super K>, V> SortedMap<K, V> sorted(Map<K, V> map) {
        return Collections.unmodifiableSortedMap(new TreeMap<>(map));
    }
}
